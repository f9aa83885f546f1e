"""The server as an MCP client meets it, under every SDK that is there."""

import asyncio

import pytest

from tests.faces.servers import FACTS, answer, connected, interpreters, run

TOOLS = {
    "store_fact": {"content", "importance", "scope", "target"},
    "recall": {"query", "top_k", "include_superseded"},
    "memory_audit": {"target", "cursor"},
    "trigger_overflow": {"target"},
    "run_cold_storage_maintenance": set(),
    "get_memory_usage": set(),
    "forget": {"id"},
    "restore": {"id"},
}
RECEIPT = {
    "status",
    "id",
    "tier",
    "target",
    "detail",
    "embedded",
    "duplicate_of",
    "superseded",
    "usage",
    "overflow",
    "undo",
    "warnings",
}
FORBIDDEN = {"$ref", "$defs", "definitions", "anyOf", "oneOf", "allOf", "nullable"}


@pytest.fixture(params=interpreters(), ids=lambda python: python.split("/bin/")[0].rsplit("/", 1)[-1])
def python(request):
    return request.param


def with_client(python, home, talk, **more):
    async def session():
        async with connected(python, home, **more) as client:
            return await talk(client)

    return run(session())


def assert_strict(schema):
    """What clients with strict schema readers accept."""
    assert not FORBIDDEN & schema.keys(), schema
    assert not isinstance(schema.get("type"), list), schema
    if schema.get("type") == "object":
        assert "properties" in schema, schema
    for inner in schema.get("properties", {}).values():
        assert_strict(inner)
    if schema.get("type") == "array":
        assert_strict(schema["items"])


def test_tools_are_listed_with_schemas_that_strict_clients_read(python, tmp_path):
    async def talk(client):
        assert client.hello["serverInfo"]["name"] == "memorycore"
        assert "recall" in client.hello["instructions"]
        return await client.tools()

    listed = with_client(python, tmp_path, talk)
    assert {tool["name"]: set(tool["inputSchema"]["properties"]) for tool in listed} == TOOLS
    for tool in listed:
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        assert_strict(tool["inputSchema"])
        assert_strict(tool["outputSchema"])
        assert all(argument["description"] for argument in tool["inputSchema"]["properties"].values()), tool
        assert len(tool["description"]) > 60


def test_a_fact_goes_in_is_found_forgotten_and_brought_back(python, tmp_path):
    async def talk(client):
        stored = await answer(client, "store_fact", content="The wiki's backup runs at 02:30.")
        assert stored.keys() == RECEIPT
        assert stored["id"]
        assert stored["status"] in {"stored", "cold_stored"}
        found = await answer(client, "recall", query="when does the backup of the wiki run")
        (hit, *_) = found["results"]
        assert (hit["id"], hit["content"]) == (stored["id"], "The wiki's backup runs at 02:30.")
        assert 0 <= hit["score"] <= 1
        forgotten = await answer(client, "forget", id=stored["id"])
        assert forgotten["status"] == "forgotten"
        assert (await answer(client, "recall", query="backup of the wiki"))["results"] == []
        restored = await answer(client, "restore", id=stored["id"])
        assert restored["status"] == "restored"
        assert (await answer(client, "recall", query="backup of the wiki"))["results"][0]["id"] == stored[
            "id"
        ]

    with_client(python, tmp_path, talk)


def test_every_tool_answers_with_the_keys_of_its_contract(python, tmp_path):
    async def talk(client):
        await answer(client, "store_fact", content="Always answer in English.", target="user", importance=0.9)
        audit = await answer(client, "memory_audit")
        assert audit.keys() == {"targets", "cold", "next", "at"}
        (entry,) = audit["targets"]["user"]["entries"]
        assert entry["text"] == "Always answer in English."
        assert entry["protected"] is True
        assert (await answer(client, "memory_audit", target="user"))["targets"].keys() == {"user"}
        overflow = await answer(client, "trigger_overflow")
        assert overflow.keys() == {"memory", "user"}
        assert overflow["user"].keys() == {"run", "pct_before", "pct_after", "actions", "errors", "note"}
        report = await answer(client, "run_cold_storage_maintenance")
        assert {"run", "scanned", "integrity", "errors"} <= report.keys()
        usage = await answer(client, "get_memory_usage")
        assert usage.keys() == {
            "hot",
            "cold",
            "trash",
            "embedder",
            "thresholds",
            "degraded",
            "judge",
            "pair_model",
        }
        assert usage["hot"]["user"]["chars"] == len("Always answer in English.")
        assert usage["degraded"], "no embedder is there, and that is said"

    with_client(python, tmp_path, talk)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"content": ""},
        {"content": " \n"},
        {"content": "a\0b"},
        {"content": {"text": "x"}},
        {"content": "x" * 100_000},
        {"content": "a fact", "importance": 1.5},
        {"content": "a fact", "importance": "high"},
        {"content": "a fact", "importance": True},
        {"content": "a fact", "target": "world"},
        {"content": "a fact", "colour": "red"},
        {"content": "a fact", "scope": ""},
    ],
    ids=str,
)
def test_a_bad_fact_is_refused_in_an_ordinary_answer(arguments, tmp_path):
    async def talk(client):
        refused = await answer(client, "store_fact", **arguments)
        assert refused.keys() == RECEIPT
        assert (refused["status"], refused["id"], refused["tier"]) == ("error", None, None)
        assert len(refused["detail"]) > 20
        usage = await answer(client, "get_memory_usage")
        assert usage["cold"]["total"] == usage["hot"]["memory"]["chars"] == 0

    with_client(interpreters()[0], tmp_path, talk)


def test_other_bad_input_is_refused_in_an_ordinary_answer(python, tmp_path):
    async def talk(client):
        for name, arguments in [
            ("recall", {}),
            ("recall", {"query": ""}),
            ("recall", {"query": "x", "top_k": 0}),
            ("recall", {"query": "x", "top_k": 2.5}),
            ("recall", {"query": "x", "limit": 3}),
            ("memory_audit", {"target": "world"}),
            ("memory_audit", {"cursor": "nonsense"}),
            ("trigger_overflow", {"target": 7}),
            ("get_memory_usage", {"verbose": True}),
            ("forget", {}),
            ("forget", {"id": ""}),
            ("restore", {"id": None}),
        ]:
            refused = await answer(client, name, **arguments)
            assert refused["status"] == "error", (name, arguments)
            assert len(refused["detail"]) > 20
        for name in ("forget", "restore"):
            assert (await answer(client, name, id="m_none"))["status"] == "not_found"

    with_client(python, tmp_path, talk)


def test_what_models_send_by_mistake_is_understood(python, tmp_path):
    async def talk(client):
        stored = await answer(
            client,
            "store_fact",
            content="Answer briefly, always.",
            importance="0.9",
            target="USER",
            scope=None,
        )
        assert (stored["tier"], stored["target"]) == ("hot", "user")
        assert (await answer(client, "store_fact", content='{"json": "as text"}'))["status"] != "error"
        assert len((await answer(client, "recall", query="answer", top_k="5"))["results"]) == 1
        assert len((await answer(client, "recall", query="answer", top_k=5.0))["results"]) == 1

    with_client(python, tmp_path, talk)


def test_twenty_facts_and_five_forgets_at_once_all_take_effect(python, tmp_path):
    async def talk(client):
        old = [await answer(client, "store_fact", content=fact) for fact in FACTS[20:]]
        calls = [answer(client, "store_fact", content=fact) for fact in FACTS[:20]]
        calls += [answer(client, "forget", id=receipt["id"]) for receipt in old]
        answers = await asyncio.gather(*calls)
        assert [given["status"] for given in answers[20:]] == ["forgotten"] * 5
        assert all(given["id"] for given in answers[:20])
        for fact in FACTS[:20]:
            found = await answer(client, "recall", query=fact, top_k=50)
            assert fact in [hit["content"] for hit in found["results"]]
        usage = await answer(client, "get_memory_usage")
        assert usage["trash"]["count"] == 5

    with_client(python, tmp_path, talk)


def test_a_call_sent_again_gives_the_same_id_and_no_second_fact(python, tmp_path):
    async def talk(client):
        first = await answer(client, "store_fact", content="The spare key is with Ms. Brandt.")
        again = await answer(client, "store_fact", content="The spare key is with Ms. Brandt.")
        assert first["id"] == again["id"]
        found = await answer(client, "recall", query="spare key", top_k=10)
        assert [hit["id"] for hit in found["results"]] == [first["id"]]

    with_client(python, tmp_path, talk)


@pytest.mark.parametrize(
    ("count", "pages"),
    [pytest.param(2_000, 2, marks=pytest.mark.slow), (40, 99)],
    ids=["two pages", "to the end"],
)
def test_an_audit_comes_in_pages_of_a_stated_size_and_misses_nothing(count, pages, tmp_path):
    memories = tmp_path / "memories"
    memories.mkdir()
    bolts = [
        "check the torque of bolt {} before each of the flights, without exception, twice",
        "务必先检查第{}号螺栓的扭矩" * 6,
    ]
    entries = [f"Rule {n}: always {bolts[n % 2].replace('{}', str(n))}." for n in range(count)]
    (memories / "MEMORY.md").write_text("\n§\n".join(entries), encoding="utf-8")

    async def talk(client):
        seen, cursor = [], ""
        for _ in range(pages):
            result = await client.call("memory_audit", {"target": "memory", "cursor": cursor})
            assert len(result["content"][0]["text"]) <= 8_000
            page = result["structuredContent"]
            seen += [entry["text"] for entry in page["targets"]["memory"]["entries"]]
            cursor = page["next"]
            if cursor is None:
                break
        assert seen == [entry[:80] for entry in entries[: len(seen)]]
        assert (len(seen) == count) == (cursor is None)

    with_client(interpreters()[0], tmp_path, talk, MEMORYCORE_HOT_LIMIT_MEMORY="200000")


def test_an_unreadable_hot_file_is_a_fault_that_names_the_byte_and_stays_as_it_is(python, tmp_path):
    memories = tmp_path / "memories"
    memories.mkdir()
    (memories / "MEMORY.md").write_bytes(b"good\xffbad")

    async def talk(client):
        result = await client.call("memory_audit", {})
        assert result["isError"]
        assert "0xff" in result["content"][0]["text"].lower()
        usage = await answer(client, "get_memory_usage")
        assert "error" in usage["hot"]["memory"]

    with_client(python, tmp_path, talk)
    assert (memories / "MEMORY.md").read_bytes() == b"good\xffbad"


def test_a_setting_that_cannot_be_used_is_told_by_each_tool(python, tmp_path):
    async def talk(client):
        result = await client.call("recall", {"query": "x"})
        assert result["isError"]
        assert "MEMORYCORE_TRASH_DAYS" in result["content"][0]["text"]

    with_client(python, tmp_path, talk, MEMORYCORE_TRASH_DAYS="soon")


def test_maintenance_tells_how_far_it_is(python, tmp_path):
    async def store(client):
        await answer(client, "store_fact", content="The attic holds three trunks.")

    async def maintain(client):
        told = []

        async def progress(done, total, message):
            told.append((done, total))

        result = await client.call("run_cold_storage_maintenance", {}, progress=progress)
        assert result["structuredContent"]["embedded"] == 1
        assert told[-1][0] == told[-1][1]

    with_client(python, tmp_path, store)
    with_client(python, tmp_path, maintain, MEMORYCORE_EMBEDDER="auto")


def test_the_bundled_model_finds_a_paraphrase_across_languages(tmp_path):
    async def talk(client):
        stored = await answer(client, "store_fact", content="Grandmother's plum cake needs 400 g of flour.")
        assert stored["embedded"] is True
        found = await answer(client, "recall", query="外婆的蛋糕要多少面粉？")
        assert found["results"][0]["id"] == stored["id"]
        assert found["degraded"] is None

    with_client(interpreters()[0], tmp_path, talk, MEMORYCORE_EMBEDDER="bundled")
