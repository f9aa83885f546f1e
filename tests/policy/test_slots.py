import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.slot_words import PHRASES, _entries
from memorycore.policy.slots import read, stem


def keys(text):
    return [token.key for token in read(text).tokens]


def kinds(text):
    return {token.key: token.kind for token in read(text).tokens}


@pytest.mark.parametrize(
    ("spellings", "kind"),
    [
        (
            ["5 March 2027", "March 5, 2027", "5th of March 2027", "2027-03-05", "2027/3/5", "2027年3月5日"],
            "date",
        ),
        (["March 5", "3月5日", "三月五号", "5 Mar"], "date"),
        (["14:30", "2:30 pm", "2:30PM", "下午两点半", "14点30分", "下午2点三十分"], "time"),
        (["3 am", "03:00", "凌晨三点", "三点"], "time"),
        (["Monday", "Mondays", "周一", "星期一", "礼拜一"], "weekday"),
        (["twelve", "12", "十二个", "１２"], "number"),
        (["1,500", "1500"], "number"),
        (["v2.10.1", "2.10.1", "V2.10.1"], "version"),
        (["+49 151 2223344", "+491512223344", "+49-151-2223344"], "number"),
    ],
)
def test_one_value_has_one_spelling(spellings, kind):
    first = read(spellings[0]).tokens[0]
    assert first.kind == kind
    for spelling in spellings[1:]:
        assert read(f"x {spelling}").tokens[1][1:3] == first[1:3], spelling


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("see https://a.example/x?y=1.", "address", "https://a.example/x?y=1"),
        ("mail ann@a.example now", "address", "ann@a.example"),
        ("日志放在/var/log/app里", "address", "/var/log/app"),
        ("代理是localhost:8444", "address", "localhost:8444"),
        ("at 10.0.0.23:80", "address", "10.0.0.23:80"),
        ("温度是-5度", "number", "-5"),
        ("about -5 degrees", "number", "-5"),
        ("ratio 1.5M", "number", "1.5"),
        ("重跑gen-itgc后50条", "number", "50"),
        ("restart node-7", "id", "node-7"),
        ("issue #12", "id", "#12"),
        ("knows C++", "id", "c++"),
        ("线上用的是MySQL8", "id", "mysql8"),
    ],
)
def test_values_are_found_glued_or_not(text, kind, key):
    assert kinds(text).get(key) == kind


def test_a_case_sensitive_path_keeps_its_case():
    assert read("/Data/x").raw != read("/data/x").raw
    assert read("Prefers TABS").raw == read("prefers tabs").raw


def test_measure_words_and_articles_count_nothing():
    assert keys("有三只狗") == ["have", "3", "狗"]
    assert keys("有一只狗") == ["have", "狗"]
    assert kinds("只有周末营业")["only"] == "condition"


def test_numerals_inside_names_are_no_numbers():
    assert "3" not in keys("张三喜欢李四")
    assert "week" not in keys("周杰住在北京")


@pytest.mark.parametrize(
    ("text", "negations"),
    [
        ("The user likes jazz.", 0),
        ("The user doesn't like jazz.", 1),
        ("The user dislikes jazz.", 1),
        ("The user can't stand jazz.", 1),
        ("Never deploy without a backup.", 2),
        ("Use tabs, not spaces.", 0),
        ("Telemetry is off.", 1),
        ("Two days off in May.", 0),
        ("用户喜欢爵士乐。", 0),
        ("用户不喜欢爵士乐。", 1),
        ("用户讨厌爵士乐。", 1),
        ("不再抽烟,再也不抽烟。", 1),
    ],
)
def test_negations_are_counted(text, negations):
    assert read(text).negations == negations


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Bob's port is 8443.", ["bob", "port"]),
        ("The user lives in Rome.", ["user"]),
        ("Never commit to main.", []),
        ("小王住在杭州。", ["小", "王"]),
        ("王芳的端口是8443。", ["王", "芳", "port"]),
    ],
)
def test_the_subject_ends_at_the_verb(text, subject):
    assert [token.key for token in read(text).subject] == subject


def test_an_owner_is_marked():
    assert [token.owner for token in read("Priya's husband is Arjun").tokens] == [True, False, False]
    assert read("小刘的妈妈").tokens[1].owner


def test_change_is_told():
    assert read("Ben now lives in Rome").changes == {"now"}
    assert read("Ben used to live in Rome").changes == {"former"}
    assert read("改成三十秒").changes == {"become"}
    assert read("The box is used to store tools").changes == frozenset()
    assert read("Ben is left-handed").changes == frozenset()


@pytest.mark.parametrize(
    ("text", "happened"),
    [
        ("Greta took a bus to Ghent.", True),
        ("The parcel was sent to Lyon.", True),
        ("The bridge was painted in 2019.", True),
        ("The table is made of oak.", False),
        ("The port is used by nginx.", False),
        ("我们在旧货市场订了一把藤椅。", True),
        ("包裹被错发到了厦门。", True),
        ("马强爬过泰山。", True),
        ("内存超过64G。", False),
        ("小王住在杭州了。", False),
        ("小王养了三只猫。", False),
    ],
)
def test_what_happened_is_told_from_what_is(text, happened):
    assert read(text).happened is happened


@pytest.mark.parametrize(
    ("text", "given_up"),
    [
        ("Ada switched from tea to coffee.", {"tea"}),
        ("We replaced Redis with Valkey.", {"redis"}),
        ("Ada moved to Oslo.", set()),
        ("我们把Redis换成了Valkey。", {"redis"}),
        ("会议从三点改到四点。", {"03:00"}),
    ],
)
def test_what_is_given_up_is_told(text, given_up):
    assert read(text).given_up == given_up


def test_a_past_deed_is_not_its_present():
    assert keys("Rosa played tennis") != keys("Rosa plays tennis")
    assert (
        keys("The repository is hosted here") == keys("hosts the repository here")[::-1]
        or read("The repository is hosted here").passive
    )


def test_stems_bring_the_forms_of_a_word_together():
    for forms in (["make", "makes", "making"], ["city", "cities"], ["box", "boxes"], ["plan", "planning"]):
        assert len({stem(form) for form in forms}) == 1, forms
    assert stem("redis") == "redis"
    assert stem("pass") == "pass"


def test_each_phrase_is_listed_once():
    phrases = [phrase for phrase, _ in _entries()]
    assert sorted(phrases) == sorted(set(phrases))
    assert len(PHRASES) == len(phrases)


@given(st.text(alphabet=st.characters(), max_size=80))
def test_any_text_can_be_read_and_reads_alike_twice(text):
    first = read(text)
    read.cache_clear()
    assert read(text) == first
    assert 0 <= first.subject_end <= len(first.tokens)


@given(st.text(alphabet="一二三四十百千万点半刻分月日号周年第两0123456789:-/.,amp 上下午v#$%", max_size=24))
def test_no_jumble_of_numerals_breaks_the_reading(text):
    read(text)


@pytest.mark.parametrize(
    "unit", ["x", "a ", "一", "1,", "a.", "/a", "a:", "@a", "1 1", "三点", "a'", "-", "\ud800"]
)
def test_long_jumbles_are_read(unit):
    assert read(unit * 2000) is not None
