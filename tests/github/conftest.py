import pytest

from tests.support.github.desk import Desk


@pytest.fixture
def desk() -> object:
    """A fake GitHub with clients; whatever was asked of it and answered has kept to the contract."""
    made = Desk()
    yield made
    assert not made.violations
