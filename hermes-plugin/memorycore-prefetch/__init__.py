"""MemoryCore as a memory provider of Hermes Agent: joins the installed package with the host's base class.

Everything that this does is in the package `memorycore`; a copy of this directory in the host's `plugins/`
is all that the host needs to find it. Importing it has no effect beyond importing.
"""

import logging

from agent.memory_provider import MemoryProvider

_log = logging.getLogger(__name__)

try:
    from memorycore.faces.hermes.provider import NAME, Provider
except ImportError as error:
    _missing = str(error)
    NAME = "memorycore-prefetch"
    Provider = None


def _save_host_config(config):
    from hermes_cli.config import save_config

    save_config(config)


if Provider is not None:

    class MemoryCoreProvider(Provider, MemoryProvider):
        """The provider of the package, as one of the host's."""

        def __init__(self):
            super().__init__(save_config=_save_host_config)

else:

    class MemoryCoreProvider(MemoryProvider):
        """Stands in where the package is not installed in the host's environment; never available."""

        @property
        def name(self):
            return NAME

        def is_available(self):
            _log.debug("%s: the package memorycore-mcp is not installed here (%s)", NAME, _missing)
            return False

        def initialize(self, session_id, **known):
            """Do nothing: a provider that is not available is never asked."""

        def get_tool_schemas(self):
            return []


def register(ctx):
    ctx.register_memory_provider(MemoryCoreProvider())
