"""A password that somebody tells goes, in whatever words; talk about passwords stays."""

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memorycore import lexicon
from memorycore.policy.classify import classify
from memorycore.policy.secrets import only_names_a_secret, redact

TOLD = [
    ("password: Tr0ub4dor&3", "password: [redacted: password]"),
    ("the wifi password is hunter2!", "the wifi password is [redacted: password]!"),
    ("The password for the wifi is hunter2.", "The password for the wifi is [redacted: password]."),
    ("The wifi password was changed to hunter2.", "The wifi password was changed to [redacted: password]."),
    ("密码是Abc12345", "密码是[redacted: password]"),
    ("密码：Abc12345。", "密码：[redacted: password]。"),
    ("密码改成hunter2了", "密码改成[redacted: password]了"),
    ("密码是12345678", "密码是[redacted: password]"),
    ("api key: abc123", "api key: [redacted: password]"),
    ("token=t0k3nvalue", "token=[redacted: password]"),
    ("passphrase: correct-horse-9", "passphrase: [redacted: password]"),
    ("MY_PASSWORD=hunter2", "MY_PASSWORD=[redacted: password]"),
    ('password: "p@ssword"', 'password: "[redacted: password]"'),
    ("pin 4711", "pin [redacted: pin]"),
    ("My PIN is 471199.", "My PIN is [redacted: pin]."),
    ("PIN码是4711", "PIN码是[redacted: pin]"),
]
ABOUT = [
    "password is stored in the vault",
    "no API key in the build",
    "the password policy is strict",
    "密码改成90天换一次",
    "密码是8位数字",
    "The password is 12-character",
    "The password is 12 characters long",
    "token is RS256-signed",
    "The token is 3600s valid",
    "The secret was v2.3.1",
    "the secret: kubernetes/app-1",
    "token: 200000",
    "token: bob@corp.com",
    "token for user2 is expired",
    "the password is in 1Password",
    "The PIN code 560001 is Bangalore",
    "pin 13 of the Arduino",
]
WORDS = lexicon.load()


@pytest.mark.parametrize(("text", "redacted"), TOLD)
def test_what_is_told_goes_and_what_it_was_for_stays(text, redacted):
    assert redact(text)[0] == redacted
    assert redact(redacted) == (redacted, ())


@pytest.mark.parametrize("text", ABOUT)
def test_talk_about_secrets_stays(text):
    assert redact(text) == (text, ())


@pytest.mark.parametrize("text", [redacted for _, redacted in TOLD])
@pytest.mark.parametrize("importance", [0.5, 1.0])
def test_what_is_left_of_a_secret_is_no_rule(text, importance):
    assert only_names_a_secret(text)
    assert classify(text, importance=importance, lexicon=WORDS, likeness=None).route == "cold"


def test_a_rule_about_a_secret_is_a_rule():
    text = "Never commit [redacted: password] anywhere."
    assert classify(text, importance=0.5, lexicon=WORDS, likeness=None).route == "hot"
    assert not only_names_a_secret("Never commit a password.")


LABELS = [
    "password: ",
    "the password is ",
    "passwd=",
    "pwd: ",
    "secret: ",
    "token = ",
    "API key: ",
    "api_key=",
]
CHINESE = ["密码是", "密码：", "口令为", "令牌: "]
PLAIN = ["password", "is", "the", "secret", "token", "in", "my", "vault", "for", "all", "pin", "api key"]
LETTERS = string.ascii_letters


@given(
    st.sampled_from(LABELS + CHINESE),
    st.text(LETTERS, min_size=3, max_size=10),
    st.text(string.digits, min_size=1, max_size=4),
    st.text(LETTERS + string.digits + "@#$%&", min_size=2, max_size=10),
    st.sampled_from(["", ".", "!", " and more", "，别外传", "。"]),
)
def test_no_password_of_letters_and_digits_survives(label, letters, digits, rest, end):
    secret = letters + digits + rest
    documented = ("example", "your", "placeholder", "changeme", "dummy", "xxxx")
    technical = ("sha", "md", "base", "aes", "rsa", "utf", "oauth", "argon", "http", "tls")
    assume(not any(word in secret.lower() for word in (*documented, *technical)))
    found, kinds = redact(f"{label}{secret}{end}")
    assert secret not in found
    assert kinds


@given(st.lists(st.sampled_from(PLAIN), max_size=9))
def test_no_plain_words_are_taken_for_a_password(words):
    text = " ".join(words)
    assert redact(text) == (text, ())


@pytest.mark.parametrize(
    "text", ["password" + " " * 19_000, "password for " * 1_500, "token: " + "a.b-" * 4_000]
)
def test_long_texts_are_read_to_their_end(text):
    assert redact(text + " pin 4711") == (text + " pin [redacted: pin]", ("pin",))
