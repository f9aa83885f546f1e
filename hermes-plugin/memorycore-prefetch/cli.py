"""`hermes memorycore-prefetch ...`: the host names a provider's command after its directory."""

import sys


def register_cli(subparser):
    try:
        from memorycore.faces.hermes.commands import register_cli as register
    except ImportError:
        subparser.set_defaults(func=_not_installed)
        return
    register(subparser)


def _not_installed(_arguments):
    sys.exit("The package memorycore-mcp is not installed in the Python environment of Hermes.")
