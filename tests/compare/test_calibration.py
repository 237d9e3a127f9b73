"""Which threshold anchors suggest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.compare.calibration import suggested, thresholds
from gate.model.judge import AnchorReading

SCORES = st.lists(st.tuples(st.booleans(), st.integers(0, 20).map(lambda n: n / 20)), min_size=1, max_size=20)


def readings(*pairs: tuple[float, float | None]) -> list[AnchorReading]:
    return [AnchorReading(anchor=str(n), key="", label=a, value=b) for n, (a, b) in enumerate(pairs)]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(0, 0.2), (0, 0.4), (1, 0.8), (1, 0.9)], 0.6),
        ([(0, 0.2), (1, 0.9), (1, None)], 0.55),
        ([(0.4, 0.2), (0.5, 0.9)], 0.55),
        ([(0, 0.899), (1, 0.9)], 0.9),
        ([(0, 0.9), (1, 0.2)], None),
        ([(1, 0.9), (1, 0.2)], None),
        ([(0, 0.5), (1, 0.5)], None),
        ([(1, None)], None),
        ([], None),
    ],
)
def test_the_threshold_lies_between_what_people_tell_apart(
    pairs: list[tuple[float, float | None]], expected: float | None
) -> None:
    assert suggested(thresholds(readings(*pairs))) == expected


@given(SCORES)
def test_what_is_suggested_agrees_as_well_as_any_threshold(pairs: list[tuple[bool, float]]) -> None:
    found = thresholds(readings(*((float(label), value) for label, value in pairs)))
    at = suggested(found)
    if at is None:
        assert all((each.agreement.kappa or 0) <= 0 for each in found)
        return
    assert 0 < at <= 1
    agreed = sum(label == (value >= at) for label, value in pairs)
    best = max(found, key=lambda each: (each.agreement.kappa or 0, each.agreement.agreed))
    assert agreed == best.agreement.agreed
