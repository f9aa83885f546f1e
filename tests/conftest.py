"""What holds for all tests."""

from importlib.util import find_spec

# The environment of the older MCP SDK runs the protocol tests only, and has no hypothesis.
if find_spec("hypothesis") is not None:
    from hypothesis import settings

    # A busy machine is slow, not wrong.
    settings.register_profile("memorycore", deadline=None)
    settings.load_profile("memorycore")
