"""The memory provider: what Hermes calls, and what it gets.

No method raises and none makes a turn wait: what writes is handed to a worker, and what reads gives up in
time. A fault of the memory costs the conversation its memory, never its answer.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memorycore.errors import MemoryCoreError
from memorycore.faces.hermes import setup, tools
from memorycore.faces.hermes.conversation import Conversation
from memorycore.faces.hermes.errand import Errand
from memorycore.faces.hermes.house import HOUSES, TIDY, House
from memorycore.faces.hermes.prompt import MOST_TOPICS, system_block
from memorycore.model import TARGETS
from memorycore.policy.topics import given_topics

if TYPE_CHECKING:
    from memorycore.policy.prefetch import Injection

NAME = "memorycore-prefetch"
PREFETCH_SECONDS = 5.0
TOPICS_SECONDS = 2.0

_USERS_OWN = "primary"
_log = logging.getLogger(__name__)


class Provider:
    """One conversation's memory. The shim in the plugin directory joins it with the host's base class.

    Outside the user's own conversations (cron, subagents, flushes) it does nothing and writes nothing.
    """

    def __init__(self, save_config: setup.SaveConfig | None = None) -> None:
        self._save_host_config = save_config
        self._house: House | None = None
        self._off = "it was not initialised"
        self._talk = Conversation()
        self._block: str | None = None
        self._topics: Errand[tuple[str, ...]] | None = None
        self._looking: Errand[Injection] | None = None

    # -- life

    @property
    def name(self) -> str:
        """The name that `memory.provider` in the host's config.yaml holds."""
        return NAME

    def is_available(self) -> bool:
        """Whether the settings can be used; a setting that can't is logged."""
        try:
            setup.settings()
        except MemoryCoreError as error:
            _log.warning("%s is not available: %s", NAME, error)
            return False
        return True

    def initialize(self, session_id: str, **known: Any) -> None:
        """Begin a conversation in the home that the host names; look at the hot files, load in background."""
        self.shutdown()
        context = str(known.get("agent_context") or _USERS_OWN)
        if context != _USERS_OWN or known.get("platform") == "cron":
            self._off = f"this is no conversation of the user's ({context})"
            _log.debug("%s stays out of %s: %s", NAME, session_id, self._off)
            return
        try:
            house = HOUSES.enter(setup.settings(known.get("hermes_home")))
        except MemoryCoreError as error:
            self._off = str(error)
            _log.warning("%s is off: %s", NAME, error)
            return
        self._house = house
        self._talk = Conversation(_texts(house))
        self._read_topics(house)

    def shutdown(self) -> None:
        """Follow what is left to follow and let go of the home; takes less than 5 s."""
        house, self._house = self._house, None
        self._off = "the conversation is over"
        self._block = self._topics = None
        if house is not None:
            HOUSES.leave(house)

    # -- reading

    def system_prompt_block(self) -> str:
        """Return what the system prompt says of the memory; the same bytes for the whole conversation."""
        house = self._house
        if house is None:
            return ""
        if self._block is None:
            found = self._topics.result(TOPICS_SECONDS) if self._topics is not None else None
            self._block = system_block(found or (), prefetch=house.settings.prefetch_enabled)
        return self._block

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """Return what the memory holds on this very message, "" for nothing, a fault, or after 5 s."""
        house = self._house
        shown = self._talk.next_turn()
        if house is None or not house.settings.prefetch_enabled:
            return ""
        if self._looking is not None and self._looking.running:
            _log.debug("the last look is still under way; nothing is shown with this message")
            return ""
        talk = self._talk
        self._looking = Errand(
            lambda: house.use(
                lambda core: core.prefetch(
                    query, standing=talk.standing, shown=shown, budget=house.settings.prefetch_chars
                )
            ),
            "prefetch",
        )
        found = self._looking.result(PREFETCH_SECONDS)
        if found is None:
            return ""
        if found.degraded:
            _log.info("recalled degraded: %s", found.degraded)
        talk.show(found.shown)
        return found.text

    def queue_prefetch(self, query: str, *, session_id: str = "") -> None:
        """Do nothing: each message is answered itself, not by what was looked up for the last one."""

    # -- what is written

    def on_memory_write(
        self, action: str, target: str, content: str, metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Take a hint that the host's memory tool wrote; the files themselves say what."""
        if self._house is not None and target in TARGETS:
            self._house.hint(target)

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
    ) -> None:
        """Have the files looked at: some of the host's writers give no hint. Keeps nothing of the turn."""
        if self._house is not None:
            for target in TARGETS:
                self._house.hint(target)

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        """Have room made from the soft threshold on, now that it disturbs no turn."""
        if self._house is not None:
            self._house.hint(TIDY)

    def on_session_switch(
        self,
        new_session_id: str,
        *,
        parent_session_id: str = "",
        reset: bool = False,
        rewound: bool = False,
        **known: Any,
    ) -> None:
        """Forget what was shown: after any switch it may be gone from the conversation."""
        house = self._house
        if house is None:
            return
        self._talk.begin_anew(_texts(house))
        if reset:
            self._block = None
            self._read_topics(house)

    def on_turn_start(self, turn_number: int, message: str, **known: Any) -> None:
        """Do nothing; turns are counted where they are answered."""

    def on_pre_compress(self, messages: list[dict[str, Any]]) -> str:
        """Add nothing to a summary: what is stored is recalled when it is needed."""
        return ""

    def on_delegation(self, task: str, result: str, *, child_session_id: str = "", **known: Any) -> None:
        """Do nothing: what a subagent found is not what the user said."""

    # -- tools

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the tools; the host asks before it initialises."""
        return tools.tool_schemas()

    def handle_tool_call(self, tool_name: str, args: Mapping[str, Any], **known: Any) -> str:
        """Return a tool's answer as JSON."""
        if self._house is None:
            return tools.error(f"MemoryCore is off: {self._off}.")
        return tools.call(self._house, tool_name, args or {})

    # -- setup

    def get_config_schema(self) -> list[dict[str, Any]]:
        """Return what the host's setup may ask for; nothing has to be set."""
        return setup.config_schema()

    def save_config(self, values: Mapping[str, Any], hermes_home: str) -> None:
        """Write the values into config.toml of the home, which the MCP server reads too."""
        setup.save(values, setup.settings(hermes_home).home)

    def post_setup(self, hermes_home: str, config: dict[str, Any]) -> None:
        """Take over the host's setup: ask, save, switch the provider on and say where everything is."""
        setup.run(hermes_home, config, self._save_host_config, NAME)

    def get_status_config(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the host's status shows."""
        return setup.shown(setup.settings())

    def backup_paths(self) -> list[str]:
        """Return the home, which the host's backup would not find where it lies outside the host's own."""
        return setup.outside(setup.settings())

    def _read_topics(self, house: House) -> None:
        given = given_topics(house.settings.index_topics)
        self._topics = Errand(
            (lambda: given) if given else (lambda: house.use(lambda core: core.topics(MOST_TOPICS))), "topics"
        )


def _texts(house: House) -> tuple[str, ...]:
    return tuple(entry.text for snapshot in house.look().values() for entry in snapshot.entries)
