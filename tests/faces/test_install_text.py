"""Editing configuration texts: one value changes, every other byte stays, or the edit is refused."""

import json

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memorycore.errors import HostConfigError
from memorycore.faces.installing.documents import drop, exclude, include, put, same, value_at
from memorycore.faces.installing.json_text import JsonFile
from memorycore.faces.installing.toml_text import TomlFile
from memorycore.faces.installing.yaml_text import YamlFile

JSON, JSONC, TOML, YAML = JsonFile(lenient=False), JsonFile(lenient=True), TomlFile(), YamlFile()
PLACE = ("servers", "memorycore")
PROVIDER = ("memory", "provider")
ENABLED = ("plugins", "enabled")
ENTRY = {"command": "/opt/my tools/记忆/bin", "args": ["-m", 'a"b\\c'], "env": {"MEMORY_DIR": "/a/é"}}

EXACT = [
    (JSON, '{"servers": {}}'),
    (JSON, '{"servers":{"a":{"url":"http://b//c"}},"z":[1,2.50,1e400]}'),
    (JSON, '{\n\t"servers": {\n\t\t"a": {"command": "x"}\n\t},\n\t"z": null\n}\n'),
    (JSON, '{\r\n    "servers": {\r\n        "a": 1\r\n    }\r\n}\r\n'),
    (JSONC, '// of mine\n{\n  "servers": {\n    "a": 1, // why\n    /* "b": 2 */\n  },\n}\n'),
    (JSONC, '{\n  "servers": {\n    "a": "//no, }" // trailing }\n    // "b": 2,\n  }\n}'),
    (JSONC, '{"servers": {"a": 1 // one\n}}'),
    (TOML, "# c\nmodel = 'x'\n\n[profiles.a]\ny = [\n  1, # one\n]\n"),
    (TOML, 'a = """\n[servers.memorycore]\n"""\r\n'),
    (TOML, "[servers.other]\ncommand = 'x'\n"),
    (YAML, "servers: # s\n    # t\n    time:\n        command: x\n    # after\n\nz: |\n  abc\n"),
    (YAML, "a: &x {b: 1}\nservers: {time: {command: x}}\nc: *x\n"),
    (YAML, "servers:\r\n  time: {command: x} # c\r\n# end\r\n"),
    (YAML, "servers:\n  a: 1\n  b:\n  - x\n\n# about z\nz: .nan\n"),
]


@pytest.mark.parametrize(("form", "text"), EXACT)
def test_what_is_put_in_and_taken_out_leaves_the_very_text(form, text):
    edited = put(form, text, PLACE, ENTRY)
    assert value_at(form, edited, PLACE) == ENTRY
    assert drop(form, edited, PLACE) == text
    assert ("\r\n" in text) == ("\r\n" in edited)
    assert "\r\n" not in text or edited.replace("\r\n", "").count("\n") == text.replace("\r\n", "").count(
        "\n"
    )


@pytest.mark.parametrize(("form", "text"), EXACT)
def test_no_line_but_a_neighbour_of_the_entry_changes(form, text):
    """A comma may be added to the line before; nothing else of the old text is touched."""
    old, new = text.splitlines(), put(form, text, PLACE, ENTRY).splitlines()
    gone = [line for line in old if line not in new]
    assert len(gone) <= 1 or len(old) == 1


@pytest.mark.parametrize("form", [JSON, JSONC, TOML, YAML])
@pytest.mark.parametrize("text", ["", "\n", "\n\n"])
def test_an_empty_file_gets_the_entry_alone(form, text):
    edited = put(form, text, PLACE, ENTRY)
    assert form.parse(edited) == {"servers": {"memorycore": ENTRY}}
    assert edited.endswith("\n")


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (JSON, "{}"),
        (JSON, '{\n  "a": 1\n}'),
        (JSON, '{"servers": null}'),
        (JSONC, "{ // none\n}\n"),
        (JSONC, "// only this\n"),
        (TOML, "[servers]\n"),
        (YAML, "{}\n"),
        (YAML, "servers:\n"),
        (YAML, "servers: null # none\nz: 1\n"),
        (YAML, "servers: {}\n"),
        (YAML, "# only this"),
        (YAML, "a: 1"),
    ],
)
def test_a_section_is_made_where_there_is_none(form, text):
    edited = put(form, text, PLACE, ENTRY)
    before, after = form.parse(text), form.parse(edited)
    assert after.pop("servers") == {"memorycore": ENTRY}
    before.pop("servers", None)
    assert same(before, after)
    assert all(comment in edited for comment in ("// none", "// only this", "# none") if comment in text)
    emptied = form.parse(drop(form, edited, PLACE))
    assert not emptied.pop("servers", {})
    assert same(emptied, before)


OLDER_JSONC = """{
  "servers": {
    // mine
    "memorycore": {"command": "old"}, // a
    "z": 1
  }
}"""
OLDER_TOML = '[servers."memorycore"]\r\na="x"\r\n[servers.memorycore.env]\r\nA="1"\r\n[q]\r\n'
OLDER_YAML = "servers:\n  memorycore:\n    args:\n    - a\n    # c\n\n  # d\n  q: 1\n"


@pytest.mark.parametrize(
    ("form", "text", "kept"),
    [
        (JSON, '{"servers":{"memorycore":{"command":"old"},"z":1}}', '"z":1'),
        (JSONC, OLDER_JSONC, "// a"),
        (TOML, '[servers.memorycore]\ncommand = "old"\n# next\n[z]\n', "\n# next\n[z]\n"),
        (TOML, OLDER_TOML, "\r\n[q]\r\n"),
        (YAML, OLDER_YAML, "\n\n  # d\n  q: 1\n"),
        (YAML, "servers: {memorycore: {command: old}, z: 1}\n", "z: 1}\n"),
    ],
)
def test_an_entry_of_an_older_form_is_replaced_in_its_place(form, text, kept):
    edited = put(form, text, PLACE, ENTRY)
    assert value_at(form, edited, PLACE) == ENTRY
    assert kept in edited
    assert put(form, edited, PLACE, ENTRY) == edited
    rest = drop(form, edited, PLACE)
    assert value_at(form, rest, PLACE) is None


@pytest.mark.parametrize(
    "text",
    [
        "memory:\n  # c\n  provider: honcho # x\n  z: 1\n",
        "memory:\n  provider:\n  z: 1\n",
        "memory:\n  provider: ''   # none\n  z: 1\n",
        'memory: {provider: "honcho", z: 1}\n',
        "memory:\n  z: 1\n",
    ],
)
def test_a_word_of_yaml_is_replaced_and_its_comment_stays(text):
    edited = put(YAML, text, PROVIDER, "memorycore-prefetch")
    assert YAML.parse(edited) == {"memory": {"provider": "memorycore-prefetch", "z": 1}}
    assert [part in edited for part in ("# c", "# x", "# none")] == [
        part in text for part in ("# c", "# x", "# none")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "plugins:\n  enabled: # e\n    # about a\n    - a # c\n    - b\n  # d\nz: 1\n",
        "plugins:\r\n  enabled:\r\n  - a\r\n",
        "plugins:\n  enabled: [a, b]  # c\n",
        "plugins: {enabled: [a, # c\n  b,], disabled: [memorycore]}\n",
        "plugins:\n  enabled:\n  - {x: memorycore}\n  - [memorycore]\n  - a",
    ],
)
def test_a_name_in_a_list_comes_and_goes_to_the_byte(text):
    before = YAML.parse(text)["plugins"]["enabled"]
    edited = include(YAML, text, ENABLED, "memorycore")
    assert value_at(YAML, edited, ENABLED) == ["memorycore", *before]
    assert include(YAML, edited, ENABLED, "memorycore") == edited
    assert exclude(YAML, edited, ENABLED, "memorycore") == text
    assert exclude(YAML, text, ENABLED, "memorycore") == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "z: 1\n",
        "plugins:\n",
        "plugins:\n  disabled: [x]\n",
        "plugins:\n  enabled: null # none\n  disabled: [x]\n",
        "plugins:\n  enabled: [] # none\n",
        "plugins: {enabled: [], disabled: [x]}\n",
    ],
)
def test_a_list_is_made_where_there_is_none_and_stays_empty(text):
    before = YAML.parse(text)
    edited = include(YAML, text, ENABLED, "memorycore")
    assert YAML.parse(edited) == {
        **before,
        "plugins": {**(before.get("plugins") or {}), "enabled": ["memorycore"]},
    }
    emptied = exclude(YAML, edited, ENABLED, "memorycore")
    assert YAML.parse(emptied)["plugins"]["enabled"] == []
    assert all("# none" in one for one in (edited, emptied) if "# none" in text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "plugins:\n  enabled:\n  # mine\n  - memorycore\nz: 1\n",
            "plugins:\n  enabled: []\n  # mine\nz: 1\n",
        ),
        (
            "plugins:\n  enabled:\n  - memorycore\n  - a\n  - 'memorycore' # x\n",
            "plugins:\n  enabled:\n  - a\n",
        ),
        ("plugins: {enabled: [a, memorycore]}\n", "plugins: {enabled: [a]}\n"),
        ("plugins: {enabled: [memorycore, memorycore]}\n", "plugins: {enabled: []}\n"),
    ],
)
def test_a_name_goes_out_of_a_list_that_others_wrote(text, left):
    assert exclude(YAML, text, ENABLED, "memorycore") == left


@pytest.mark.parametrize(
    "text",
    [
        "plugins: {enabled: a}\n",
        "plugins:\n  enabled: {a: 1}\n",
        "a: &x [b]\nplugins:\n  enabled: *x\n",
        "plugins:\n  ? enabled\n  : - a\n",
    ],
)
def test_a_list_that_cant_be_edited_safely_is_refused_with_advice(text):
    with pytest.raises(HostConfigError) as caught:
        include(YAML, text, ENABLED, "memorycore")
    assert caught.value.advice


@pytest.mark.parametrize(
    ("form", "text", "line"),
    [
        (JSON, '{\n  "a": 1,\n}', "line 3"),
        (JSON, '{\n  // no\n}', "line 2"),
        (JSON, '{"a": NaN}', "NaN"),
        (JSONC, '{\n  /* so\n  far */ "a": 1\n  "b": 2}', "line 4"),
        (JSONC, '{"a": "unfinished\n}', "line 1"),
        (TOML, "a = 1\nb = \n", "line 2"),
        (YAML, "a: 1\nb: [\n", "line 3"),
        (YAML, "a: 1\n\tb: 2\n", "line 2"),
        (YAML, "a: 1\n---\nb: 1\n", "line 2"),
    ],
)  # fmt: skip
def test_a_malformed_text_is_refused_by_its_line(form, text, line):
    with pytest.raises(HostConfigError, match=line):
        put(form, text, PLACE, ENTRY)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (JSON, "[]"),
        (JSON, '{"servers": []}'),
        (JSON, '{"servers": {"memorycore": {}, "memorycore": {}}}'),
        (JSON, '{"a": 1, "servers": {}, "servers": {"b": 1}}'),
        (JSON, '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"),
        (TOML, "servers = { a = { command = 'x' } }\n"),
        (TOML, "servers.memorycore.command = 'x'\n"),
        (TOML, "[[servers]]\na = 1\n"),
        (YAML, "- a\n"),
        (YAML, "servers: nothing\n"),
        (YAML, "a: &s\n  x: 1\nservers: *s\n"),
        (YAML, "servers:\n  time: 1\nservers:\n  b: 1\n"),
        (YAML, "z: |\n  no line break"),
        (YAML, "a: 1\n...\n"),
        (YAML, "a: !env X\n"),
    ],
)
def test_what_cant_be_edited_safely_is_refused_with_advice(form, text):
    with pytest.raises(HostConfigError) as caught:
        put(form, text, PLACE, ENTRY)
    assert caught.value.advice


def test_the_refusal_of_a_sound_file_brings_what_to_paste():
    with pytest.raises(HostConfigError) as caught:
        put(TOML, "servers = { a = 1 }\n", PLACE, ENTRY)
    pasted = caught.value.advice.split("\n", 1)[1]
    assert TOML.parse(pasted) == {"servers": {"memorycore": ENTRY}}


def test_likeness_is_strict():
    nan = float("nan")
    assert same({"a": [1, nan]}, {"a": [1, nan]})
    assert not same(1, True)
    assert not same(1, 1.0)
    assert not same([1], [1, 2])
    assert not same({"a": None}, {})


FEW = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
MANY = settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
TEXT = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
SERVERS = st.dictionaries(st.text().filter(lambda name: name != "memorycore"), VALUES, max_size=3)
REST = st.dictionaries(st.text().filter(lambda name: name != "servers"), VALUES, max_size=4)
DOCUMENTS = st.builds(
    lambda rest, servers: rest if servers is None else {**rest, "servers": servers}, REST, st.none() | SERVERS
)
STYLES = st.sampled_from([None, 1, 2, 4, "\t"])
ENTRIES = st.fixed_dictionaries({"command": TEXT}, optional={"env": st.dictionaries(TEXT, TEXT)})


def emptied(document):
    return {name: value for name, value in document.items() if name != "servers" or value}


def holds_for_any_json_document(document, indent, entry, ascii_only, form):
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    edited = put(form, text, PLACE, entry)
    assert json.loads(edited)["servers"]["memorycore"] == entry
    rest = drop(form, edited, PLACE)
    assert same(emptied(json.loads(rest)), emptied(document))
    assert rest == text or not document.get("servers")


JSON_CASES = given(DOCUMENTS, STYLES, ENTRIES, st.booleans(), st.sampled_from([JSON, JSONC]))
test_any_json_document_is_the_same_again = FEW(JSON_CASES(holds_for_any_json_document))
test_many_json_documents_are_the_same_again = pytest.mark.slow(MANY(JSON_CASES(holds_for_any_json_document)))


PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Co"]))
NAMES = st.sampled_from(["memorycore", "memorycore-prefetch", "a"]) | PLAIN
YAML_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PLAIN, inner, max_size=3),
    max_leaves=8,
)
YAML_DOCUMENTS = st.fixed_dictionaries(
    {"servers": st.dictionaries(PLAIN.filter(lambda name: name != "memorycore"), YAML_VALUES, max_size=3)},
    optional={
        "memory": st.dictionaries(PLAIN, YAML_VALUES, max_size=2),
        "plugins": st.fixed_dictionaries(
            {}, optional={"enabled": st.none() | st.lists(NAMES, unique=True, max_size=3), "z": YAML_VALUES}
        ),
        "z": YAML_VALUES,
    },
)


def holds_for_any_yaml_document_that_hermes_may_write(document, unicode):
    text = yaml.safe_dump(document, allow_unicode=unicode, sort_keys=False)
    edited = put(YAML, put(YAML, text, PROVIDER, "memorycore-prefetch"), PLACE, ENTRY)
    edited = include(YAML, edited, ENABLED, "memorycore")
    known = yaml.safe_load(edited)
    listed = document.get("plugins", {}).get("enabled") or []
    assert known["servers"]["memorycore"] == ENTRY
    assert sorted(known["plugins"]["enabled"]) == sorted({"memorycore", *listed})
    rest = yaml.safe_load(exclude(YAML, drop(YAML, edited, PLACE), ENABLED, "memorycore"))
    assert rest["memory"].pop("provider") == "memorycore-prefetch"
    document.get("memory", {}).pop("provider", None)
    assert rest["plugins"].pop("enabled") == [name for name in listed if name != "memorycore"]
    document.get("plugins", {}).pop("enabled", None)
    assert same(rest, {"memory": {}, "plugins": {}, **document})


YAML_CASES = given(YAML_DOCUMENTS, st.booleans())
test_any_yaml_document_is_the_same_again = FEW(YAML_CASES(holds_for_any_yaml_document_that_hermes_may_write))
test_many_yaml_documents_are_the_same_again = pytest.mark.slow(
    MANY(YAML_CASES(holds_for_any_yaml_document_that_hermes_may_write))
)
