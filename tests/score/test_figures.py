import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.score.figures import figures


def read(text: str) -> list[tuple[str, set[tuple[float, ...]]]]:
    return [(f.text, {tuple(n.value for n in reading) for reading in f.readings}) for f in figures(text)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("14", {(14,)}),
        ("0.5", {(0.5,)}),
        ("1,234", {(1234,), (1.234,), (1, 234)}),
        ("1.234", {(1234,), (1.234,)}),
        ("1,234.5", {(1234.5,)}),
        ("1.234,5", {(1234.5,)}),
        ("1 234,5", {(1234.5,)}),
        ("1'234'567.8", {(1234567.8,)}),
        ("1\u2019234", {(1234,)}),
        ("1\u00a0234", {(1234,)}),
        ("1\u202f234", {(1234,)}),
        ("12 345", {(12345,), (12, 345)}),
        ("12,34,567", {(1234567,), (12, 34, 567)}),
        ("3,4,5", {(3, 4, 5)}),
        ("30.11.2026", {(30, 11, 2026)}),
        ("12 %", {(12,), (0.12,)}),
        ("12%", {(12,), (0.12,)}),
        ("5 percent", {(5,), (0.05,)}),
        ("3k", {(3,), (3000,)}),
        ("1.2 million", {(1.2,), (1_200_000,)}),
        ("2bn", {(2,), (2_000_000_000,)}),
        ("5mg", {(5,)}),
        ("$5", {(5,)}),
        ("-3 °C", {(3,)}),
        ("\u0661\u0662", {(12,)}),
    ],
)
def test_a_figure_is_read_in_each_way_that_it_can_be(text: str, values: set[tuple[float, ...]]) -> None:
    ((_, found),) = read(text)
    assert sorted(found) == [pytest.approx(reading) for reading in sorted(values)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10-12 people", ["10", "12"]),
        ("on 2026-11-30 at 14:05", ["2026", "11", "30", "14", "05"]),
        ("A380, GPT-4, v2.1, COVID-19, s3", []),
        ("in 2024 100 came", ["2024", "100"]),
        ("pay 5, then 6.", ["5", "6"]),
        ("10² m", ["10"]),
        ("no figures", []),
        ("", []),
        ("12 kittens", ["12"]),
    ],
)
def test_names_with_digits_are_no_figures_and_ranges_are_two(text: str, expected: list[str]) -> None:
    assert [figure.text for figure in figures(text)] == expected


def test_a_figure_is_as_exact_as_it_is_written() -> None:
    within = [[n.within for n in f.readings[-1]] for f in figures("14 and 0.25 and 1.2 million")]
    assert within == [[0.5], [0.005], [pytest.approx(50_000)]]


@given(st.text() | st.text("0123456789.,' %k-"))
def test_nothing_makes_it_raise_and_every_figure_stands_in_the_text(text: str) -> None:
    for figure in figures(text):
        assert figure.text in text
        assert figure.readings
        assert all(number.value >= 0 for reading in figure.readings for number in reading)


@given(st.floats(0, 1e9).map(lambda number: round(number, 2)))
def test_a_number_is_read_back_in_every_spelling(number: float) -> None:
    english = f"{number:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    for spelling in (english, german, english.replace(",", "'"), f"{number:.2f}"):
        values = {n.value for f in figures(spelling) for reading in f.readings for n in reading}
        assert number in values, spelling
