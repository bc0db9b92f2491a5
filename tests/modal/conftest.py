"""Finite-element bars that several tests use."""

import pytest
from support.bars import bar


@pytest.fixture(scope="session")
def hex_bar():
    return bar("hex20")


@pytest.fixture(scope="session", params=["hex20", "tet10"])
def any_bar(request):
    return bar(request.param)
