"""What there is to use is in the README: each command, each tool, each setting."""

import re
from pathlib import Path

import pytest
import typer

from memorycore.faces.cli import app
from memorycore.faces.tools import TOOLS
from memorycore.settings import Settings

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", sorted(typer.main.get_command(app).commands))
def test_the_readme_names_every_command(command):
    assert f"memorycore {command}" in README


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_the_readme_names_every_tool(tool):
    assert f"`{tool}" in README


@pytest.mark.parametrize("variable", sorted(str(field.alias) for field in Settings.model_fields.values()))
def test_the_readme_names_every_setting(variable):
    assert f"`{variable}`" in README


@pytest.mark.parametrize("target", ["make demo", "make test", "memorycore-mcp"])
def test_the_readme_says_how_to_start(target):
    assert target in README


def test_every_command_explains_itself():
    for name, command in typer.main.get_command(app).commands.items():
        assert command.help, name
        for parameter in command.params:
            assert parameter.help, f"{name} {parameter.name}"


def test_every_command_that_a_message_names_is_there():
    known = set(typer.main.get_command(app).commands)
    for path in (Path(__file__).parents[1] / "memorycore").rglob("*.py"):
        named = set(re.findall(r"`memorycore ([a-z-]+)", path.read_text(encoding="utf-8")))
        assert named <= known, path
