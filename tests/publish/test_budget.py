from hypothesis import given
from hypothesis import strategies as st

from gate.publish.budget import Section, fit

TOP = Section(items=("# title",), must=True)
END = Section(items=("footer",), must=True)


def a_list(number: int, size: int = 100) -> Section:
    items = tuple(f"item {i} {'é' * size}" for i in range(number))
    return Section(items=items, head="<details>", foot="</details>", between="\n", what="broken case")


def test_what_fits_is_whole_and_says_nothing() -> None:
    assert fit((TOP, a_list(2, 1), END), 1000, elsewhere="There.") == (
        "# title\n\n<details>\n\nitem 0 é\nitem 1 é\n\n</details>\n\nfooter\n"
    )


def test_what_does_not_fit_is_cut_at_whole_items_and_named() -> None:
    text = fit((TOP, a_list(50), END), 5000, elsewhere="See run.json.")
    kept = text.count("item")
    assert 0 < kept < 50
    assert f"Left out because of the length: {50 - kept} of 50 broken cases. See run.json." in text
    assert text.index("</details>") < text.index("Left out") < text.index("footer")
    assert all(line.endswith("é" * 100) for line in text.split("\n") if line.startswith("item"))


def test_a_section_without_room_for_one_item_goes_as_a_whole() -> None:
    text = fit((TOP, a_list(1, 5000), END), 2000, elsewhere="See run.json.")
    assert "details" not in text
    assert "1 of 1 broken case." in text


def test_a_section_without_items_leaves_no_trace() -> None:
    assert fit((TOP, Section(items=(), head="<details>"), END), 1000, elsewhere="") == "# title\n\nfooter\n"


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 400)), max_size=6), st.integers(2000, 20_000))
def test_the_budget_holds_in_bytes(shape: list[tuple[int, int]], budget: int) -> None:
    text = fit((TOP, *(a_list(*each) for each in shape), END), budget, elsewhere="See run.json.")
    assert len(text.encode()) <= budget
    assert text.count("<details>") == text.count("</details>")
    assert text.endswith("footer\n")
