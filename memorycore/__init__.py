"""MemoryCore: a memory governance layer for LLM agents."""
