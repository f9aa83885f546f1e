"""Redaction: keys of common shapes go, what only looks like one or speaks of one stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.secrets import redact

# Made up, and put together here so that no scanner of this repository takes them for real ones.
LOT = "a8Kd93mfPq27LzXw05Rt"
SECRETS = [
    ("openai key", "sk-" + LOT * 2),
    ("openai key", "sk-proj-" + LOT + "_" + LOT),
    ("github token", "ghp_" + LOT + LOT[:16]),
    ("github token", "github_pat_" + LOT + "_" + LOT * 2),
    ("gitlab token", "glpat-" + LOT),
    ("aws key", "AKIA" + "Q7RT2M5X9KLP3WZ8"),
    ("slack token", "xoxb-" + "123456789012-" + LOT),
    ("google key", "AIza" + LOT + LOT[:15]),
    ("stripe key", "sk_live_" + LOT),
    ("registry token", "npm_" + LOT + LOT[:16]),
    ("registry token", "hf_" + LOT * 2),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + LOT),
    (
        "private key",
        "-----BEGIN RSA PRIVATE KEY-----\n" + (LOT * 3 + "\n") * 4 + "-----END RSA PRIVATE KEY-----",
    ),
    ("private key", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + (LOT * 3 + "\n") * 2 + LOT + "="),
    ("private key", "-----BEGIN PRIVATE KEY-----\\n" + LOT * 3 + "\\n-----END PRIVATE KEY-----"),
]
IN_PLACE = [
    ("postgres://app:hunter2@db.local:5432/main", "postgres://app:[redacted: password]@db.local:5432/main"),
    ("https://bob:p@ss,w0rd@git.local/x.git", "https://bob:[redacted: password]@git.local/x.git"),
    ("redis://:s3cret@cache:6379", "redis://:[redacted: password]@cache:6379"),
    (f"Authorization: Bearer {LOT}", "Authorization: Bearer [redacted: token]"),
    ("Authorization: Basic Ym9iOnNlY3JldA==", "Authorization: Basic [redacted: password]"),
    (f'api_key = "{LOT}"', 'api_key = "[redacted: secret]"'),
    (f"API_KEY={LOT}\nDEBUG=1", "API_KEY=[redacted: secret]\nDEBUG=1"),
    (f'{{"client_secret": "{LOT}", "port": 1}}', '{"client_secret": "[redacted: secret]", "port": 1}'),
    (f"the API key is {LOT}.", "the API key is [redacted: secret]."),
    (f"password: {LOT}", "password: [redacted: secret]"),
    ("密码是" + LOT, "密码是[redacted: secret]"),
    ("密钥：" + LOT, "密钥：[redacted: secret]"),
    (f"aws_secret_access_key = {LOT}/{LOT[:19]}", "aws_secret_access_key = [redacted: secret]"),
    ('token = "9f86d081884c7d659a2feaa0c55ad015"', 'token = "[redacted: secret]"'),
    (f"AKIAQ7RT2M5X9KLP3WZ8:{LOT}{LOT} ok", "[redacted: aws key] ok"),
]
KEPT = [
    "AKIAIOSFODNN7EXAMPLE",
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "There is no API key in the build.",
    "Never commit a token or a password; the secret is kept in the vault.",
    "The token budget is 2,000 tokens a day.",
    "password: ask Anna",
    'api_key = "your-api-key-goes-here-1"',
    'api_key = "${OPENAI_API_KEY_2}"',
    "api_key = os.environ['OPENAI_API_KEY']",
    "sk-learn-like-names-that-are-long-and-plain",
    "task-a8Kd93mfPq27LzXw05Rt",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "the key: 9f86d081884c7d659a2feaa0c55ad015",
    "token: tests/fixtures/token_list.json",
    "https://example.org:8443/a@b",
    "postgres://app@db.local/main",
    "mongodb://one:27017,two:27017/x",
    "the bearer of this letter is welcome",
    "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAK\n-----END PUBLIC KEY-----",
    "端口是 8443，密码在保险箱里",
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
@pytest.mark.parametrize(("before", "after"), [("", ""), ("use ", " for CI"), ("用", "。")])
def test_a_secret_is_taken_out_whole_wherever_it_stands(kind, secret, before, after):
    assert redact(before + secret + after) == (f"{before}[redacted: {kind}]{after}", (kind,))


@pytest.mark.parametrize(("text", "redacted"), IN_PLACE)
def test_only_the_secret_part_goes(text, redacted):
    found, kinds = redact(text)
    assert found == redacted
    assert len(kinds) == 1


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_secret_stays(text):
    assert redact(text) == (text, ())


def test_kinds_are_named_once_each():
    text = " ".join(secret for _, secret in SECRETS[:6])
    assert redact(f"{text} {text}")[1] == ("openai key", "github token", "gitlab token", "aws key")


def test_text_after_a_cut_private_key_stays():
    text = f"-----BEGIN PRIVATE KEY-----\n{LOT * 3}\n\nThen we went home."
    assert redact(text)[0] == "[redacted: private key]\n\nThen we went home."


pieces = st.sampled_from(
    [secret for _, secret in SECRETS]
    + [text for text, _ in IN_PLACE]
    + KEPT
    + [
        "api_key = ",
        "://",
        "@",
        ":",
        "-----BEGIN PRIVATE KEY-----",
        "Bearer ",
        '"',
        "eyJ",
        "[redacted: jwt]",
        " ",
        "\n",
    ]
)


@given(st.lists(pieces | st.text(max_size=8), max_size=6).map("".join))
def test_redacting_twice_is_redacting_once(text):
    once, kinds = redact(text)
    assert redact(once) == (once, ())
    assert bool(kinds) == (once != text)


@given(st.text(max_size=100))
def test_ordinary_text_is_left_alone(text):
    assert redact(text) == (text, ())
