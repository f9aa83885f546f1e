"""A file that can't be read stops only what is for it; a sidecar that was damaged is told of."""

from __future__ import annotations

import pytest

from memorycore.errors import HotFileUnreadable
from tests.engine.helpers import FACT, RULE, on_disk

BROKEN = b"An entry.\n\xff\xfe no text"
LOVES, HATES = "I love Chinese food.", "I hate Chinese food."


def folder(root):
    with on_disk(root) as core:
        core.store(RULE, target="user")
    return next(root.rglob("USER.md")).parent


@pytest.fixture
def hot(tmp_path):
    hot = folder(tmp_path)
    (hot / "MEMORY.md").write_bytes(BROKEN)
    return hot


def test_a_cold_store_goes_on_and_says_what_it_did_not_see(tmp_path, hot):
    with on_disk(tmp_path) as core:
        receipt = core.store(FACT)
    assert receipt.status == "cold_stored"
    assert (receipt.usage.before, receipt.usage.after) == (0.0, 0.0)
    assert any("memory" in warning and "not looked at" in warning for warning in receipt.warnings)
    assert (hot / "MEMORY.md").read_bytes() == BROKEN


def test_a_store_for_the_other_file_goes_on(tmp_path, hot):
    with on_disk(tmp_path) as core:
        core.store(LOVES, target="user")
        receipt = core.store(HATES, target="user")
    assert (receipt.status, len(receipt.superseded)) == ("stored", 1)
    assert receipt.usage.after > 0
    assert any("not looked at" in warning for warning in receipt.warnings)


def test_a_hot_write_into_a_file_that_cannot_be_read_is_refused(tmp_path, hot):
    with on_disk(tmp_path) as core, pytest.raises(HotFileUnreadable):
        core.store("Never push to main.", importance=0.9)
    assert (hot / "MEMORY.md").read_bytes() == BROKEN


def test_a_damaged_sidecar_is_told_of_until_somebody_has_seen_to_it(tmp_path):
    sidecar = folder(tmp_path) / "USER.meta.json"
    sidecar.write_bytes(sidecar.read_bytes()[:-9])
    with on_disk(tmp_path) as core:
        assert any("damaged" in reason for reason in core.usage().degraded)
        receipt = core.store("Never use emoji.", target="user")
        assert any("damaged" in warning for warning in receipt.warnings)
        assert any("USER.meta.json.broken" in warning for warning in receipt.warnings)
        assert any("USER.meta.json.broken" in reason for reason in core.usage().degraded)
        assert core.store("Never send faxes.", target="user").warnings == ()
        sidecar.with_name("USER.meta.json.broken").unlink()
        assert core.usage().degraded == ()
