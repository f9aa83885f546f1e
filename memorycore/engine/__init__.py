"""The ports and the machinery that collects, decides through the policy, and applies."""
