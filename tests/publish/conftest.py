"""The golden files of the surfaces."""

import pytest

from tests.support.goldens import Golden


@pytest.fixture
def golden(update_goldens: bool) -> Golden:
    return Golden(update=update_goldens)
