"""The sparse direct solvers, as types: a function that factorises takes one as ``solver=``."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

from . import cholmod, mumps, pardiso, superlu


@dataclass(frozen=True)
class Solver:
    """A sparse direct solver for symmetric matrices.

    Attributes
    ----------
    name : str
        Name of the library.
    package : str
        What ``pip install`` installs.
    indefinite : bool
        Whether it factorises indefinite matrices.
    """

    name: ClassVar[str]
    package: ClassVar[str]
    indefinite: ClassVar[bool] = True
    #: the class of its factors, a DirectFactor
    kind: ClassVar[Any]
    _module: ClassVar[ModuleType]
    _made_by: ClassVar[str] = "fem.Pardiso(), fem.Cholmod(), fem.Mumps() or fem.SuperLU()"

    @property
    def installed(self) -> bool:
        """Whether it can be used here."""
        return self._module.installed()


@dataclass(frozen=True)
class Pardiso(Solver):
    """PARDISO of Intel's MKL; ``pip install pypardiso`` (x86-64 only). The fastest.

    Examples
    --------
    >>> import fem
    >>> fem.Pardiso().name
    'PARDISO'
    """

    name: ClassVar[str] = "PARDISO"
    package: ClassVar[str] = "pypardiso"
    kind: ClassVar[Any] = pardiso.PardisoFactor
    _module: ClassVar[ModuleType] = pardiso


@dataclass(frozen=True)
class Cholmod(Solver):
    """CHOLMOD of SuiteSparse; ``pip install 'scikit-sparse<0.5'``. Positive definite matrices only.

    Examples
    --------
    >>> import fem
    >>> fem.Cholmod().indefinite
    False
    """

    name: ClassVar[str] = "CHOLMOD"
    package: ClassVar[str] = "'scikit-sparse<0.5'"
    indefinite: ClassVar[bool] = False
    kind: ClassVar[Any] = cholmod.CholmodFactor
    _module: ClassVar[ModuleType] = cholmod


@dataclass(frozen=True)
class Mumps(Solver):
    """MUMPS; ``pip install python-mumps``.

    Examples
    --------
    >>> import fem
    >>> fem.Mumps().name
    'MUMPS'
    """

    name: ClassVar[str] = "MUMPS"
    package: ClassVar[str] = "python-mumps"
    kind: ClassVar[Any] = mumps.MumpsFactor
    _module: ClassVar[ModuleType] = mumps


@dataclass(frozen=True)
class SuperLU(Solver):
    """SuperLU of SciPy, always installed; 6 to 20 times slower on solids.

    Examples
    --------
    >>> import fem
    >>> fem.SuperLU().installed
    True
    """

    name: ClassVar[str] = "SuperLU"
    package: ClassVar[str] = "scipy"
    kind: ClassVar[Any] = superlu.SuperLUFactor
    _module: ClassVar[ModuleType] = superlu


#: all solvers, best first
SOLVERS: tuple[Solver, ...] = (Pardiso(), Cholmod(), Mumps(), SuperLU())
