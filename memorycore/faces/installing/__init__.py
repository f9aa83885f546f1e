"""Registering MemoryCore in the configuration files of hosts, and taking it out again."""
