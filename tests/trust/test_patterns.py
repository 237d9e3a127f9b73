"""Patterns against names: the same files as the walk over a disk finds."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.dataset.files import SUFFIXES, find
from gate.trust.patterns import covered, matching, reaches

segments = st.sampled_from(["a", "b", ".h", "a.yaml", "b.yaml", ".c.yaml", "x.json", "[a].yaml", "é.yaml"])
names = st.lists(segments, min_size=1, max_size=4)
wild = st.sampled_from(["*", "**", "*.yaml", "?.yaml", "[ab]", ".*", "a*", "."]) | segments
patterns = st.lists(wild, min_size=1, max_size=4).map("/".join)


def planted(root: Path, all_names: list[list[str]]) -> list[str]:
    """The files that could be made: a name is a folder or a file, not both."""
    made = []
    for name in all_names:
        path = root.joinpath(*name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(exist_ok=True)
        except OSError:
            continue
        if path.is_file():
            made.append("/".join(name))
    return sorted(set(made))


@settings(max_examples=300, deadline=None)
@given(st.lists(names, max_size=8), patterns)
def test_a_pattern_matches_the_names_that_a_walk_finds(all_names: list[list[str]], pattern: str) -> None:
    with TemporaryDirectory() as folder:
        there = planted(Path(folder), all_names)
        found, _ = find([pattern], Path(folder))
    if os.path.normpath(pattern) in there:  # this very file is meant
        return
    assert tuple(n for n in matching([pattern], there) if n.endswith(SUFFIXES)) == found


@given(st.lists(names, max_size=8).map(lambda found: ["/".join(name) for name in found]), patterns)
def test_what_a_pattern_matches_it_covers(all_names: list[str], pattern: str) -> None:
    assert set(matching([pattern], all_names)) <= set(covered([pattern], all_names))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("*/**", ("a/b.yaml", "a/b/c.yaml")), ("**", ("a.yaml", "a/b.yaml", "a/b/c.yaml")), ("a.yaml/**", ())],
)
def test_stars_at_the_end_are_what_is_in_a_folder(pattern: str, expected: tuple[str, ...]) -> None:
    assert matching([pattern], ["a.yaml", "a/b.yaml", "a/b/c.yaml"]) == expected


@given(st.lists(names, min_size=1, max_size=5), patterns)
def test_a_pattern_that_matches_a_name_reaches_each_folder_above_it(
    all_names: list[list[str]], pattern: str
) -> None:
    for name in all_names:
        if matching([pattern], ["/".join(name)]):
            assert all(reaches(pattern, "/".join(name[:n])) for n in range(1, len(name)))


@pytest.mark.parametrize(
    ("pattern", "folder", "expected"),
    [
        ("golden/*.yaml", "golden", True),
        ("golden/*.yaml", "golden/sub", False),
        ("golden/**/*.yaml", "golden/sub", True),
        ("golden/**", "golden/sub/deep", True),
        ("golden/**", "vendor", False),
        ("golden", "golden", False),
        ("**/*.yaml", ".hidden", False),
    ],
)
def test_a_pattern_reaches_into_folders(pattern: str, folder: str, expected: bool) -> None:
    assert reaches(pattern, folder) is expected


def test_many_stars_take_no_time_that_grows_with_their_product() -> None:
    pattern = "/".join(["**", "a*"] * 40)
    assert matching([pattern], ["/".join(["a"] * 79 + ["b"])]) == ()
