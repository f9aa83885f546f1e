"""What holds for all tests."""

from hypothesis import settings

# A busy machine is slow, not wrong.
settings.register_profile("memorycore", deadline=None)
settings.load_profile("memorycore")
