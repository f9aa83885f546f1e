"""`python -m memorycore.server` and `memorycore-mcp`: the MCP server on stdin and stdout."""

from __future__ import annotations


def main() -> None:
    """Serve until the client goes away."""
    from memorycore.faces.serve import run

    run()


if __name__ == "__main__":
    main()
