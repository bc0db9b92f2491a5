"""Threads of BLAS: one for small matrices, and as many as before behind them, also from several threads at once."""

from pathlib import Path

import numpy as np
import pytest
from support.calls import calls
from threadpoolctl import ThreadpoolController, threadpool_limits

import flexbody as fb
from fem.common.blas_threads import FEW, few_threads

#: folders of the libraries in the wheels of NumPy and SciPy
OF_WHEELS = ("numpy.libs", "scipy.libs")


def numbers():
    """Numbers of threads of the libraries of NumPy and SciPy: those of PARDISO and SUNDIALS keep their own."""
    found = ThreadpoolController().select(internal_api="openblas").info()
    return {one["num_threads"] for one in found if Path(one["filepath"]).parent.name in OF_WHEELS}


@pytest.fixture(autouse=True)
def two_threads():
    with few_threads(1):  # loads all libraries
        pass
    with threadpool_limits(2, user_api="blas"):
        if numbers() != {2}:
            pytest.skip("the libraries of linear algebra have no threads here")
        yield


def test_small_matrices_have_one_thread_and_large_ones_all():
    with few_threads(FEW - 1):
        assert numbers() == {1}
    assert numbers() == {2}
    with few_threads(FEW):
        assert numbers() == {2}


def test_the_last_of_several_restores_the_number():
    """Entered in one order and left in another, as threads do."""
    first, second = few_threads(1), few_threads(1)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert numbers() == {1}
    second.__exit__(None, None, None)
    assert numbers() == {2}


def test_an_error_restores_the_number():
    with pytest.raises(ZeroDivisionError), few_threads(1):
        raise ZeroDivisionError
    assert numbers() == {2}


def test_elastodynamics_takes_one_thread_for_its_small_matrices(monkeypatch):
    """A machine of two bodies: decompositions of 12 x 20 numbers at each time."""
    seen, arguments = [], calls()["fb.elastodynamics"]

    def watch(plain):
        def watched(A, *rest, **options):
            seen.extend(numbers() if min(np.shape(A)) > 9 else [])
            return plain(A, *rest, **options)

        return watched

    for decomposition in ("svd", "lstsq"):
        monkeypatch.setattr(np.linalg, decomposition, watch(getattr(np.linalg, decomposition)))
    fb.elastodynamics(**arguments)
    assert len(seen) > 20
    assert set(seen) == {1}
