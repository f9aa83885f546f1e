"""Settings inside Hermes: where they come from, what its setup asks for, where they are kept."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memorycore.errors import SettingsError

if TYPE_CHECKING:
    from memorycore.settings import Settings

SaveConfig = Callable[[dict[str, Any]], None]

COMMAND = "memorycore"
"""Name of the host's general plugin, an entry point of this package, that adds `hermes memorycore`."""

_YES, _NO = "yes", "no"


def settings(hermes: str | Path | None = None) -> Settings:
    """Return the settings inside the Hermes of this home; without one, of the home that is in use.

    Raises `SettingsError`.
    """
    from memorycore.settings import for_hermes, hermes_home

    return for_hermes(Path(hermes) if hermes else hermes_home() or Path("~/.hermes").expanduser())


def config_schema() -> list[dict[str, Any]]:
    """Return the questions of the setup, in the host's form."""
    return [
        {
            "key": "prefetch_enabled",
            "description": "Show facts that bear on a message with it",
            "default": _YES,
            "choices": [_YES, _NO],
        },
        {
            "key": "prefetch_chars",
            "description": "At most so many characters of facts with a message",
            "default": "1500",
        },
        {
            "key": "index_topics",
            "description": "Topics that the system prompt names, with commas (empty: read off the store)",
        },
    ]


def save(values: Mapping[str, Any], home: Path) -> None:
    """Write these settings into config.toml of the home; its other lines and comments stay.

    Raises `SettingsError` for a name that the setup does not ask for, a value that can't be used, or a
    file that can't be written, with the file as it was.
    """
    from memorycore.adapters.files import read_whole, write_whole
    from memorycore.settings import Settings

    known = {question["key"] for question in config_schema()}
    if strange := values.keys() - known:
        raise SettingsError(
            f"{min(strange)!r} is no setting of the setup.", advice=f"Known: {sorted(known)}."
        )
    typed = {key: _typed(key, value) for key, value in values.items()}
    Settings.load(**({"home": home} | typed))
    path = home / "config.toml"
    text = (read_whole(path) or b"").decode()
    after = _with_lines(text, typed)
    if tomllib.loads(after) != tomllib.loads(text) | typed:
        raise SettingsError(
            f"{path} has a form that can't be edited line by line.",
            advice=f"Set {', '.join(sorted(typed))} in it by hand.",
        )
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(path, after.encode())


def _typed(key: str, value: Any) -> bool | int | str:
    text = str(value).strip()
    if key == "prefetch_enabled":
        return text.lower() not in {_NO, "false", "0", "off"}
    if key != "prefetch_chars":
        return text
    if not text.isdecimal():
        raise SettingsError(
            f"prefetch_chars is {text!r}.", advice="Give a number of characters, such as 1500."
        )
    return int(text)


def _with_lines(text: str, values: Mapping[str, bool | int | str]) -> str:
    for key, value in values.items():
        line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
        pattern = re.compile(rf"^[ \t]*{key}[ \t]*=.*$", re.MULTILINE)
        if pattern.search(text):
            text = pattern.sub(lambda _, line=line: line, text, count=1)  # type: ignore[misc]
        else:
            text = f"{text.rstrip()}\n{line}\n".lstrip()
    return text


def run(hermes: str, config: dict[str, Any], save_config: SaveConfig | None, name: str) -> None:
    """Ask what there is to ask, where somebody answers; switch the provider and its command on; tell.

    `save_config` writes the host's config.yaml; without it the caller has to.
    """
    known = settings(hermes)
    if sys.stdin.isatty() and (answers := _ask(known)):
        save(answers, known.home)
        known = settings(hermes)
    config.setdefault("memory", {})["provider"] = name
    plugins = config.setdefault("plugins", {})
    plugins["enabled"] = sorted({*(plugins.get("enabled") or []), COMMAND})
    if save_config is not None:
        save_config(config)
    print(f"\n  Memory provider: {name}")
    for what, value in shown(known).items():
        print(f"    {what}: {value}")
    print(f"  Look at it with: hermes {COMMAND} status")
    print("  Start a new session to activate.\n")


def _ask(known: Settings) -> dict[str, str]:
    answers: dict[str, str] = {}
    for question in config_schema():
        current = getattr(known, question["key"])
        default = (_YES if current else _NO) if isinstance(current, bool) else str(current)
        answer = input(f"  {question['description']} [{default}]: ").strip()
        if answer and answer != default:
            answers[question["key"]] = answer
    return answers


def shown(known: Settings) -> dict[str, Any]:
    """Return what a status tells of the settings."""
    return {
        "stores": str(known.home),
        "hot files": str(known.hot_dir),
        "prefetch": f"up to {known.prefetch_chars} characters" if known.prefetch_enabled else "off",
        "topics": known.index_topics or "read off the store",
    }


def outside(known: Settings) -> list[str]:
    """Return the home if it does not lie in the directory of the hot files' owner."""
    return [] if known.home.is_relative_to(known.hot_dir.parent) else [str(known.home)]
