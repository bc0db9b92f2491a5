import pytest

import fem


@pytest.fixture(scope="session")
def steel():
    return fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
