import pytest

from gate.dataset import select
from gate.errors import UsageError
from gate.model.finding import Place
from tests.support.cases import made

SUITE = (
    made("login", tags=("smoke",)),
    made("cart", depends_on=("login",)),
    made("pay", depends_on=("cart",), tags=("smoke", "money")),
    made("weather_london", tags=("weather",)),
    made("weather_paris", tags=("weather", "smoke")),
    made("one", isolation="shared", place=Place(file="shared.yaml")),
    made("two", isolation="shared", place=Place(file="shared.yaml"), depends_on=("login",)),
    made("[odd]*"),
)


@pytest.mark.parametrize(
    ("ids", "tags", "wanted"),
    [
        ([], [], [case.id for case in SUITE]),
        (["weather_london"], [], ["weather_london"]),
        (["weather_*"], [], ["weather_london", "weather_paris"]),
        (["pay"], [], ["login", "cart", "pay"]),
        (["login"], [], ["login"]),
        (["one"], [], ["login", "one", "two"]),
        (["[odd]*"], [], ["[odd]*"]),
        (["weather_london", "login"], [], ["login", "weather_london"]),
        ([], ["weather"], ["weather_london", "weather_paris"]),
        ([], ["money", "weather"], ["login", "cart", "pay", "weather_london", "weather_paris"]),
        (["weather_*"], ["smoke"], ["weather_paris"]),
        ([], ["w*er"], ["weather_london", "weather_paris"]),
    ],
)
def test_selection(ids: list[str], tags: list[str], wanted: list[str]) -> None:
    assert [case.id for case in select(SUITE, ids, tags)] == wanted


@pytest.mark.parametrize(
    ("ids", "tags", "message"),
    [
        (["weather_londn"], [], "there is no case 'weather_londn'; did you mean 'weather_london'?"),
        (["login", "nope*"], [], "there is no case 'nope*'"),
        ([], ["smok"], "there is no tag 'smok'; did you mean 'smoke'?"),
        (["login"], ["weather"], "no case that --case login names has a tag that --tag weather names"),
    ],
)
def test_a_pattern_that_nothing_matches_is_an_error_of_use(
    ids: list[str], tags: list[str], message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        select(SUITE, ids, tags)
    assert raised.value.message == message
    assert raised.value.hint


def test_a_suite_without_tags_says_so() -> None:
    with pytest.raises(UsageError) as raised:
        select([made("a")], [], ["x"])
    assert raised.value.hint == "No case has a tag."
