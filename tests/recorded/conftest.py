"""A PostgreSQL server for the tests that need one."""

from collections.abc import Iterator

import pytest

from tests.support import postgres


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    with postgres.running() as started:
        yield started
