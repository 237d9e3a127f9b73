"""What a reader sees of a comment: rendered as GitHub does it, and asked of a browser's own document."""

from pathlib import Path

import pytest

from gate.publish import comment
from tests.support import browser, picture, png
from tests.support.browser import Seen
from tests.support.goldens import FOLDER
from tests.support.hostile import PIECES
from tests.support.reports import hostile_report

SHOWN = FOLDER / "comment" / "regression.md"
PICTURE = Path(__file__).parents[2] / "docs" / "comment.png"
KINDS = {
    "regression": "Agent Gate: regression",
    "pass": "Agent Gate: pass",
    "undecided": "Agent Gate: undecided",
    "agent_down": "Agent Gate: not run",
}
OURS = {
    *("h3", "p", "ul", "li", "strong", "code", "pre", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
WEAK = (
    "**b** [l](https://evil.example) ![x](https://evil.example/p.png) @octocat #1 <b>x</b> www.evil.example"
)


def seen(*comments: str) -> list[Seen]:
    articles, beside = browser.read(picture.page(*comments))
    assert len(articles) == len(comments)
    assert set(beside) == {"section", "script"}
    return articles


@pytest.mark.requires("browser")
def test_a_reader_sees_the_headline_the_table_and_what_broke_and_the_rest_on_demand() -> None:
    (article,) = seen(SHOWN.read_text(encoding="utf-8"))
    assert article.text.startswith("Agent Gate: regression — 2 of 48 cases broke")
    assert article.count("tr") == 5
    folds = [attributes for name, attributes in article.elements if name == "details"]
    assert folds == [{"open": ""}, {}]
    assert "expected a call of" in article.text
    assert "1 fixed, 1 new, 44 unchanged" in article.text
    assert "paris" not in article.text, "a closed fold hides what it holds"
    assert {name for name, _ in article.elements} <= OURS


@pytest.mark.requires("browser")
def test_every_agreed_comment_is_made_of_known_elements_without_links_pictures_or_attributes() -> None:
    for article in seen(*(path.read_text(encoding="utf-8") for path in sorted(SHOWN.parent.glob("*.md")))):
        assert article.text.startswith("Agent Gate: ")
        assert {name for name, _ in article.elements} <= OURS
        assert {key for _, attributes in article.elements for key in attributes} <= {"open", "style", "class"}


@pytest.mark.requires("browser")
@pytest.mark.parametrize("kind", KINDS)
def test_no_hostile_text_becomes_an_element_or_hides_the_verdict(kind: str) -> None:
    texts = ["x", WEAK, "".join(PIECES), "".join(reversed(PIECES)), *(f"x{piece}y" for piece in PIECES)]
    harmless, *articles = seen(*(comment.render(hostile_report(kind, text)) for text in texts))
    for text, article in zip(texts[1:], articles, strict=True):
        assert article.text.startswith(KINDS[kind]), repr(text)
        assert article.elements == harmless.elements, repr(text)
        assert not {"a", "img"} & {name for name, _ in article.elements}


@pytest.mark.requires("browser")
def test_the_page_shows_what_unescaped_text_would_have_become() -> None:
    """Without this the test before could pass because the page understands nothing."""
    (article,) = seen(WEAK)
    assert [article.count(name) for name in ("strong", "img", "b")] == [1, 1, 1]
    assert article.count("a") == 4
    (cut,) = seen("<details>\n\nthe verdict\n\n<script>x</script>")
    assert "the verdict" not in cut.text


def test_the_picture_in_the_readme_shows_the_agreed_comment() -> None:
    picture_bytes = PICTURE.read_bytes()
    shown = png.note(picture_bytes, picture.NOTE)
    assert shown == picture.digest(SHOWN.read_text(encoding="utf-8")), "make picture, and look at it"
    assert len(picture_bytes) < 150_000
    assert png.size(picture_bytes)[0] == 2 * picture.WIDTH
    assert "![" in (readme := (PICTURE.parents[1] / "README.md").read_text(encoding="utf-8"))
    assert "(docs/comment.png)" in readme
