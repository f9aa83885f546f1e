"""The settings: the only reader of the environment, of config.toml and of Hermes' config.yaml.

Precedence: argument, environment, `config.toml` in the home, default. An empty variable counts as
not set. `~` is expanded; a relative path is refused, since a server's working directory is its
client's choice. A directory that does not exist is made at the first write, never by reading settings.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from memorycore.errors import SettingsError
from memorycore.model import TARGETS, Target
from memorycore.policy.thresholds import Thresholds

OLLAMA_URL = "http://localhost:11434/v1"
OLLAMA_MODEL = "qwen3-embedding:0.6b"
DEFAULT_HOT_LIMIT = 5_000
_PLAIN_HOME = Path("~/.memorycore")
_VARIABLE = re.compile(r"\$\{(?:env:)?(\w+)\}")
OF_PROFILE = "Hermes profile"
HERMES_HOT_LIMITS: dict[Target, int] = {"memory": 2_200, "user": 1_375}
HOST_VARIABLES = ("APPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME")

ColdBackend = Literal["local", "remote", "mnemosyne"]
PairModelName = Literal["bundled", "none"]
EmbedderName = Literal["auto", "bundled", "openai", "ollama", "none"]
VectorSearch = Literal["auto", "matrix", "sqlite-vec"]
LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]


def _absolute(path: Path) -> Path:
    try:
        expanded = path.expanduser()
    except RuntimeError as error:
        raise ValueError(f"{path.parts[0]} names nobody who has a home directory here") from error
    if not expanded.is_absolute():
        raise ValueError("a relative path; give an absolute one or begin it with ~")
    return expanded


AbsolutePath = Annotated[Path, AfterValidator(_absolute)]
HotLimit = Annotated[int, Field(ge=200, le=200_000)]


class Settings(BaseModel):
    """Everything a MemoryCore can be told; immutable.

    `load` reads each field from the environment variable that is its alias and from `config.toml`
    under its own name; the constructor reads nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=False)

    home: AbsolutePath = Field(default=_PLAIN_HOME.expanduser(), alias="MEMORYCORE_HOME")
    memory_dir: AbsolutePath | None = Field(default=None, alias="MEMORY_DIR")
    hot_limit_memory: HotLimit | None = Field(default=None, alias="MEMORYCORE_HOT_LIMIT_MEMORY")
    hot_limit_user: HotLimit | None = Field(default=None, alias="MEMORYCORE_HOT_LIMIT_USER")
    cold_backend: ColdBackend = Field(default="local", alias="MEMORYCORE_COLD_BACKEND")
    vector_search: VectorSearch = Field(default="auto", alias="MEMORYCORE_VECTOR_SEARCH")
    embedder: EmbedderName = Field(default="auto", alias="MEMORYCORE_EMBEDDER")
    embed_url: str | None = Field(default=None, alias="MEMORYCORE_EMBED_URL")
    embed_model: str | None = Field(default=None, alias="MEMORYCORE_EMBED_MODEL")
    embed_api_key: str | None = Field(default=None, alias="MEMORYCORE_EMBED_API_KEY", repr=False)
    embed_timeout: float = Field(default=20.0, gt=0, le=600, alias="MEMORYCORE_EMBED_TIMEOUT")
    pair_model: PairModelName = Field(default="bundled", alias="MEMORYCORE_PAIR_MODEL")
    llm_api_key: str | None = Field(default=None, alias="LLM_API_KEY", repr=False)
    llm_base_url: str | None = Field(default=None, alias="LLM_BASE_URL")
    llm_model: str | None = Field(default=None, alias="LLM_MODEL")
    judge_timeout: float = Field(default=20.0, gt=0, le=600, alias="MEMORYCORE_JUDGE_TIMEOUT")
    judge_calls: int = Field(default=20, ge=0, le=1_000, alias="MEMORYCORE_JUDGE_CALLS")
    lexicon_dir: AbsolutePath | None = Field(default=None, alias="MEMORYCORE_LEXICON_DIR")
    activity_log: bool = Field(default=True, alias="ACTIVITY_LOG_ENABLED")
    prefetch_enabled: bool = Field(default=True, alias="MEMORYCORE_PREFETCH_ENABLED")
    prefetch_chars: int = Field(default=1_500, ge=300, le=20_000, alias="MEMORYCORE_PREFETCH_CHARS")
    index_topics: str = Field(default="", max_length=1_000, alias="MEMORYCORE_INDEX_TOPICS")
    state_ttl_days: int = Field(default=7, ge=1, le=3_650, alias="MEMORYCORE_STATE_TTL_DAYS")
    trash_days: int = Field(default=30, ge=1, le=3_650, alias="MEMORYCORE_TRASH_DAYS")
    half_life_days: float = Field(default=90.0, ge=1, le=36_500, alias="MEMORYCORE_HALF_LIFE_DAYS")
    cold_soft: int = Field(default=6_000, ge=1, le=10_000_000, alias="MEMORYCORE_COLD_SOFT")
    cold_hard: int = Field(default=10_000, ge=1, le=10_000_000, alias="MEMORYCORE_COLD_HARD")
    log_level: LogLevel = Field(default="WARNING", alias="MEMORYCORE_LOG_LEVEL")

    @model_validator(mode="after")
    def _soft_before_hard(self) -> Self:
        if self.cold_soft > self.cold_hard:
            raise ValueError(
                "cold_soft (MEMORYCORE_COLD_SOFT) must not be above cold_hard (MEMORYCORE_COLD_HARD)"
            )
        return self

    @classmethod
    def load(cls, **arguments: Any) -> Settings:
        """Return the settings by precedence. Raises `SettingsError` that names the setting at fault."""
        return load_with_sources(**arguments)[0]

    @property
    def hot_dir(self) -> Path:
        """Where MEMORY.md and USER.md lie: MEMORY_DIR, else Hermes' if there is one, else the home's."""
        if self.memory_dir is not None:
            return self.memory_dir
        hermes = hermes_home()
        return hermes / "memories" if hermes is not None else self.home / "memories"

    @property
    def hot_limits(self) -> dict[Target, int]:
        """Limits in characters: the settings', else Hermes' where its directory is used, else 5,000."""
        own: dict[Target, int | None] = {"memory": self.hot_limit_memory, "user": self.hot_limit_user}
        given: dict[Target, int] = {target: limit for target, limit in own.items() if limit is not None}
        return given if len(given) == len(TARGETS) else _default_limits(self.hot_dir.parent) | given

    @property
    def lexicon_dirs(self) -> tuple[Path, ...]:
        """The user's own lexicon directory if one is set or lies in the home."""
        if self.lexicon_dir is not None:
            return (self.lexicon_dir,)
        own = self.home / "lexicons"
        return (own,) if own.is_dir() else ()

    @property
    def cold_path(self) -> Path:
        """The file of the local cold tier."""
        return self.home / "cold.sqlite3"

    @property
    def ledger_path(self) -> Path:
        """The file of the ledger."""
        return self.home / "ledger.sqlite3"

    @property
    def thresholds(self) -> Thresholds:
        """The policy's numbers with what the user changed of them."""
        return Thresholds(
            state_ttl_days=self.state_ttl_days,
            trash_days=self.trash_days,
            half_life_days=self.half_life_days,
            cold_soft=self.cold_soft,
            cold_hard=self.cold_hard,
        )


def load_with_sources(**arguments: Any) -> tuple[Settings, dict[str, str]]:
    """Return the settings and, per field, where its value came from.

    The sources read "argument", "environment NAME", "config.toml", "default" or, of a home, `OF_PROFILE`.
    """
    fields = Settings.model_fields
    unknown = arguments.keys() - fields.keys()
    if unknown:
        raise SettingsError(
            f"Unknown setting {min(unknown)!r}.", advice="`memorycore config` lists the settings."
        )
    in_env = _environment()
    profile = {} if "home" in in_env | arguments else _profile_home()
    from_file = _config_toml(_home(profile | in_env | arguments))
    merged = from_file | profile | in_env | arguments
    try:
        settings = Settings(**merged)
    except ValidationError as error:
        raise _refusal(error) from None
    sources = {name: _source(name, arguments, in_env, from_file) for name in fields}
    sources |= dict.fromkeys(profile, OF_PROFILE)
    return settings, sources


def environment(settings: Settings, sources: dict[str, str], *, files: bool = True) -> dict[str, str]:
    """Return the variables that give another process these settings.

    Defaults are left to it, and with `files` False also what it reads from the same config.toml.
    """
    skipped = {"default"} if files else {"default", "config.toml"}
    return {
        str(field.alias): str(getattr(settings, name))
        for name, field in Settings.model_fields.items()
        if sources[name] not in skipped
    }


def hermes_home() -> Path | None:
    """Return Hermes' home: `$HERMES_HOME`, whether it exists yet or not, else `~/.hermes` if it exists.

    Raises `SettingsError` for a relative path.
    """
    named = os.environ.get("HERMES_HOME", "").strip()
    try:
        home = _absolute(Path(named or "~/.hermes"))
    except ValueError as error:
        raise SettingsError(
            f"HERMES_HOME is {named!r}: {error}.", advice="Give the absolute path of Hermes' home."
        ) from error
    return home if named or home.is_dir() else None


def host_variables() -> dict[str, str]:
    """Return the variables by which hosts say where their own configuration lies; those that are set."""
    values = {name: os.environ.get(name, "").strip() for name in HOST_VARIABLES}
    return {name: value for name, value in values.items() if value}


def for_hermes(hermes: Path, **arguments: Any) -> Settings:
    """Return the settings inside a Hermes whose home is `hermes`: its files, its limits.

    What the environment does not set is taken from the `env` of our MCP server in Hermes' config.yaml, so
    that both work on the same stores with the same model. Where neither names a home, it is `memorycore/`
    in the home of a profile, else `~/.memorycore`. Raises `SettingsError`.
    """
    in_env = _environment()
    served: dict[str, Any] = {name: value for name, value in _served(hermes).items() if name not in in_env}
    if "home" not in in_env:
        served = {"home": profile_home(hermes) or _PLAIN_HOME} | served
    settings = Settings.load(**served | {"memory_dir": hermes / "memories"} | arguments)
    limits = _default_limits(hermes, in_use=True)
    missing = {
        f"hot_limit_{target}": limits[target]
        for target in TARGETS
        if getattr(settings, f"hot_limit_{target}") is None
    }
    return settings.model_copy(update=missing)


def served_home(hermes: Path) -> Path | None:
    """Return the home on which Hermes' config.yaml starts our MCP server; None if it starts none.

    Raises `SettingsError`.
    """
    given = _served_environment(hermes)
    if given is None:
        return None
    of_profile = profile_home(Path(str(given.get("HERMES_HOME", ""))))
    return _home({"home": _served(hermes).get("home") or of_profile or _PLAIN_HOME})


def _served(hermes: Path) -> dict[str, str]:
    """Return what config.yaml hands to our MCP server; a variable that Hermes would leave open is absent."""
    given = _served_environment(hermes) or {}
    values = {
        name: _VARIABLE.sub(lambda found: os.environ.get(found[1], found[0]), str(given[field.alias])).strip()
        for name, field in Settings.model_fields.items()
        if field.alias in given
    }
    return {name: value for name, value in values.items() if value and not _VARIABLE.search(value)}


def _served_environment(hermes: Path) -> dict[str, Any] | None:
    servers = _hermes_config(hermes).get("mcp_servers")
    ours = [one for one in servers.values() if _is_ours(one)] if isinstance(servers, dict) else []
    if not ours:
        return None
    given = ours[0].get("env")
    return given if isinstance(given, dict) else {}


def _is_ours(server: Any) -> bool:
    if not isinstance(server, dict) or server.get("enabled") is False:
        return False
    words = [str(server.get("command", "")), *map(str, server.get("args") or ())]
    return any(Path(word).stem in {"memorycore", "memorycore-mcp"} for word in words) or (
        "memorycore.server" in words
    )


def _profile_home() -> dict[str, Path]:
    """Return the home of a named profile of Hermes, if it is one that is in use; each has its own memory."""
    named = hermes_home()
    own = profile_home(named) if named is not None else None
    return {} if own is None else {"home": own}


def profile_home(hermes: Path) -> Path | None:
    """Return the home that belongs to a named profile of Hermes; None for a Hermes that is no profile."""
    return hermes / "memorycore" if hermes.parent.name == "profiles" else None


def _environment() -> dict[str, str]:
    named = {
        name: os.environ.get(str(field.alias), "").strip() for name, field in Settings.model_fields.items()
    }
    return {name: value for name, value in named.items() if value}


def _home(given: dict[str, Any]) -> Path:
    try:
        return Settings(**{name: value for name, value in given.items() if name == "home"}).home
    except ValidationError as error:
        raise _refusal(error) from None


def _source(name: str, arguments: dict[str, Any], in_env: dict[str, str], from_file: dict[str, Any]) -> str:
    if name in arguments:
        return "argument"
    if name in in_env:
        return f"environment {Settings.model_fields[name].alias}"
    return "config.toml" if name in from_file else "default"


def _config_toml(home: Path) -> dict[str, Any]:
    path = home / "config.toml"
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except NotADirectoryError as error:
        raise SettingsError(
            f"{home} is not a directory.", advice="Point MEMORYCORE_HOME elsewhere."
        ) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(
            f"{path} can't be read: {error}.", advice="Mend the file or move it away; defaults then apply."
        ) from error
    unknown = values.keys() - Settings.model_fields.keys()
    if unknown:
        raise SettingsError(
            f"{path} sets {min(unknown)!r}, which is no setting.",
            advice="`memorycore config` lists the names.",
        )
    if "home" in values:
        raise SettingsError(
            f"{path} sets its own home.", advice="Set MEMORYCORE_HOME in the environment instead."
        )
    return values


def _refusal(error: ValidationError) -> SettingsError:
    first = error.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else "settings"
    field = Settings.model_fields.get(name)
    shown = f"{name} ({field.alias})" if field is not None else name
    given = "what it is set to" if field is not None and not field.repr else repr(first.get("input"))
    return SettingsError(
        f"The setting {shown} can't be {given}: {first['msg'].removeprefix('Value error, ')}.",
        advice="Correct it in the environment or in config.toml.",
    )


def _default_limits(home: Path, *, in_use: bool | None = None) -> dict[Target, int]:
    """Return Hermes' limits where the directory is a home of Hermes, else our own.

    Another home than the one in use counts if its config.yaml speaks of memory.
    """
    plain: dict[Target, int] = dict.fromkeys(TARGETS, DEFAULT_HOT_LIMIT)
    in_use = home == hermes_home() if in_use is None else in_use
    limits = dict(HERMES_HOT_LIMITS)
    try:
        config = _hermes_config(home)
    except SettingsError:
        if not in_use:
            return plain
        raise
    section = config.get("memory")
    if section is None and not in_use:
        return plain
    for target in limits:
        value = section.get(f"{target}_char_limit") if isinstance(section, dict) else None
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            limits[target] = value
    return limits


def _hermes_config(home: Path) -> dict[str, Any]:
    """Return Hermes' config.yaml, empty where there is none. Raises `SettingsError` for a broken one."""
    try:
        config = yaml.safe_load((home / "config.yaml").read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SettingsError(
            f"Hermes' {home / 'config.yaml'} can't be read: {error}.",
            advice="Mend it, or set MEMORYCORE_HOT_LIMIT_MEMORY and MEMORYCORE_HOT_LIMIT_USER.",
        ) from error
    return config if isinstance(config, dict) else {}
