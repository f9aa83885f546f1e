"""Facts that change: one holds, the others become history, and what merely looks alike stays.

Each runs on the doubles with a hashing embedder, on words alone, and on real files with the bundled model.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from memorycore.adapters.embed_bundled import BundledEmbedder
from memorycore.adapters.embed_data import background, prebuilt
from memorycore.adapters.embed_none import NoEmbedder
from memorycore.engine.core import MemoryCore
from memorycore.engine.encoder import Encoder
from memorycore.model import Record
from tests.engine.helpers import World

CHAINS = [
    pytest.param(
        [
            "The user lives in Rome.",
            "The user lives in Oslo.",
            "The user lives in Lima.",
            "The user lives in Rome.",
        ],
        id="place",
    ),
    pytest.param(
        [
            "The capital of Varia is Ost.",
            "The capital of Varia is Nord.",
            "Sund is the capital of Varia.",
            "Varia's capital is Ost.",
        ],
        id="role",
    ),
    pytest.param(
        [
            "Grafana listens on port 3000.",
            "Grafana listens on port 3100.",
            "Grafana listens on port 3200.",
            "Grafana listens on port 3000.",
        ],
        id="port",
    ),
    pytest.param(["用户住在成都。", "用户搬到了重庆。", "用户搬到了贵阳。", "用户搬到了成都。"], id="地点"),
    pytest.param(
        ["项目负责人是林悦。", "项目负责人是周航。", "项目负责人换成了沈岚。", "项目负责人是林悦。"],
        id="负责人",
    ),
]
REVERSALS = [
    ("The user loves Chinese food.", "The user hates Chinese food."),
    ("The user is a vegetarian.", "The user is no longer a vegetarian."),
    ("Sven is married to Ida.", "Sven is married to Ulla."),
    ("Nadia works at Siemens.", "Nadia joined Bosch."),
    ("The weekly review is on Tuesday.", "The weekly review was moved to Thursday."),
    ("CI runs on Jenkins.", "Jenkins was replaced by Woodpecker."),
    ("用户喜欢香菜。", "用户讨厌香菜。"),
    ("小何抽烟。", "小何戒烟了。"),
    ("团队用钉钉。", "团队把钉钉换成了飞书。"),
]
BOTH_STAY = [
    ("Grafana listens on port 3000.", "Loki listens on port 3100."),
    ("The gateway runs version 2.3.9.", "The importer runs version 2.4.1."),
    ("The audit is due on 2 October.", "The review is due on 9 October."),
    ("The capital of Varia is Ost.", "The capital of Meria is Nord."),
    ("The user is a vegetarian.", "The user's sister had steak."),
    ("Vera speaks Danish.", "Vera speaks Polish."),
    ("The user likes tea.", "The user likes coffee."),
    ("Nadia works at Siemens.", "Nadia had lunch with a colleague from Bosch."),
    ("Sven's sister is Ida.", "Sven's sister is Ulla."),
    ("网关监听9443端口。", "代理监听9444端口。"),
    ("小何住在重庆。", "小何的弟弟搬到了成都。"),
    ("小何会说法语。", "小何会说德语。"),
    ("小何住在重庆。", "小何去成都出差了。"),
]


@pytest.fixture(scope="module")
def bundled() -> Iterator[Encoder]:
    encoder = Encoder(BundledEmbedder(), background(), prebuilt=prebuilt)
    yield encoder
    encoder.close()


@pytest.fixture(params=["hashing", "words", "bundled"])
def world_and_core(request: pytest.FixtureRequest) -> tuple[World, MemoryCore]:
    world = World()
    encoder = {
        "hashing": lambda: None,
        "words": lambda: Encoder(NoEmbedder(), background()),
        "bundled": partial(request.getfixturevalue, "bundled"),
    }[request.param]()
    return world, world.core(encoder)


def active(world: World) -> list[Record]:
    return [record for record in world.records() if record.active]


@pytest.mark.parametrize("chain", CHAINS)
def test_a_chain_that_comes_back_leaves_one_fact_and_a_history(world_and_core, chain):
    world, core = world_and_core
    for text in chain:
        world.clock.turn(days=1)
        core.store(text, route="cold")
    assert [record.text for record in active(world)] == [chain[-1]]
    told = sorted(world.records(), key=lambda record: record.created_at)
    assert [record.text for record in told] == chain
    assert [record.superseded_by for record in told] == [*(after.id for after in told[1:]), None]


@pytest.mark.parametrize(("before", "after"), REVERSALS)
def test_the_newer_holds_and_the_older_is_history(world_and_core, before, after):
    world, core = world_and_core
    core.store(before, route="cold")
    receipt = core.store(after, route="cold")
    assert [record.text for record in active(world)] == [after]
    assert receipt.superseded
    assert {record.text for record in world.records()} == {before, after}
    assert core.undo(receipt.undo).status == "undone"
    assert [record.text for record in active(world)] == [before]


@pytest.mark.parametrize(("one", "other"), BOTH_STAY)
def test_what_is_said_of_another_thing_retires_nothing(world_and_core, one, other):
    world, core = world_and_core
    core.store(one, route="cold")
    assert core.store(other, route="cold").superseded == ()
    assert {record.text for record in active(world)} == {one, other}


def test_a_hot_fact_is_replaced_in_its_place(world_and_core):
    world, core = world_and_core
    core.store("The mayor of Almere is Piet Bos.", route="hot")
    core.store("Anja Smit is now the mayor of Almere.", route="cold")
    assert world.hot_texts() == ["Anja Smit is now the mayor of Almere."]
    assert [record.text for record in world.records()] == ["The mayor of Almere is Piet Bos."]


@pytest.mark.parametrize("world_and_core", ["bundled"], indirect=True)
@pytest.mark.parametrize(
    ("texts", "query"),
    [
        (["Vera speaks Danish.", "Vera speaks Polish."], "Which language does Vera speak?"),
        (
            ["Lena is famous for The Red Boat.", "Lena is famous for Stone Fields."],
            "What is Lena famous for?",
        ),
        (["小何会说法语。", "小何会说德语。"], "小何会说什么语言?"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_of_two_values_that_both_hold_the_newer_is_told_first(world_and_core, texts, query, turned):
    world, core = world_and_core
    told = texts[::-1] if turned else texts
    for text in told:
        world.clock.turn(days=1)
        core.store(text, route="cold")
    hits = core.recall(query).results
    assert [hit.content for hit in hits] == told[::-1]
    assert hits[0].score >= hits[1].score


def test_a_value_that_is_asked_for_leads_though_it_is_older(world_and_core):
    world, core = world_and_core
    for text in ("Vera speaks Danish.", "Vera speaks Polish."):
        world.clock.turn(days=1)
        core.store(text, route="cold")
    assert core.recall("Does Vera speak Danish?").results[0].content == "Vera speaks Danish."
