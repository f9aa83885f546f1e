"""The commands of `memorycore`, by what they are about; importing a module of these adds its commands."""
