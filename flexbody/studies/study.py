"""A study: one machine for many values of its parameters."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np

import modal
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.names import with_match
from fem.common.progress import progress
from fem.common.values import Count

from ..analyses.simulate import simulate
from ..model.system import System
from ..results.record import Record
from .cluster import check_client, given_client, local_client, n_cores
from .dispatch import Dispatch
from .fingerprint import fingerprint
from .geometries import Geometries
from .job import Job
from .lock import locked
from .making import maker_of, misfits
from .store import TAKEN_NAMES, TO_DO, Store, described, extra, variable
from .study_result import StudyResult
from .trial import Trial, checked, takes_one
from .variants import NAMES_ARE, Variants, can_be_name

logger = logging.getLogger("flexbody")

#: Quantities are looked up by name in a run of this length, s.
TRIAL_LENGTH = 1e-6
#: A batch of variants lasts about this long, s: so much is repeated at most for each worker when a study is killed.
BATCH_SECONDS = 1.0
#: A study has at least so many batches for each worker.
BATCHES_PER_WORKER = 8
#: A batch has at most so many variants, so that its rows take little memory however fast they are.
LARGEST_BATCH = 1000
#: A study that takes less than this in one thread, s, does not start processes, which takes a few seconds.
SHORT_STUDY = 10.0
#: Threads share one process if the compiled loop, which runs without Python's lock, takes this part of the time.
COMPILED_SHARE = 0.95


@check_arguments(own=("build",))
@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """One machine for many values of its parameters, and the quantities of each.

    Parameters
    ----------
    build : callable or System
        A function that takes the parameters (and the ``bodies``) by name and returns a System. Or a System: then the
        parameters are paths of its fields, such as "slider.mass", "drive.rate" or "gravity.2".
    variants : Grid, VariantList, OneAtATime, Random, LatinHypercube or Sobol
        The values of the parameters.
    quantities : dict of str
        The quantities of each variant, by name: a function of the result that returns a number or an array; or a
        quantity as in :meth:`Result.table`, such as ``("reaction", "wrist")``, whose largest magnitude over time is
        taken.
    analysis : callable
        A function of the machine, such as ``lambda machine: fb.simulate(machine, t_end=0.06)``. What it returns is the
        result.
    store : path_like
        Folder for the numbers: a Zarr group, which xarray opens.
    bodies : dict of callable, optional
        Functions of some of the parameters that return reduced bodies, by the names under which ``build`` takes them.
        Each distinct body is made once, and shared by all variants and workers. ``build`` need not take parameters that
        only bodies need.
    units : dict of str, optional
        Units of parameters and quantities by name.

    Raises
    ------
    fem.InputError
        Names of parameters, bodies or quantities don't fit together; the message lists all problems.

    Notes
    -----
    Before a study runs, machines are built for the least and the largest value of each parameter, where these need no
    other reduced bodies than the first variant, which is computed. After that, a variant that fails is a row with its
    error. The values of parameters that ``build`` gets are numbers and texts of Python.

    A store belongs to one study: the same variants, machine, analysis and quantities. Of functions their source counts,
    and the values and functions of the user's own files that they use; comments and the version of packages do not.

    Examples
    --------
    The force of a bar of 1 kg that turns at 10 rad/s, its centre of mass at a distance from the hinge:

    >>> import tempfile
    >>> import flexbody as fb
    >>> def turning(distance):
    ...     bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(distance, 0, 0))
    ...     hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="z")
    ...     return fb.System([bar], [hinge, fb.Drive("motor", hinge, rate=10.0)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = fb.Study(
    ...         turning,
    ...         fb.Grid({"distance": [0.2, 0.3, 0.4]}),
    ...         {"force": ("reaction", "hinge")},
    ...         analysis=lambda machine: fb.kinematics(machine, t_end=0.1),
    ...         store=f"{folder}/turning.zarr",
    ...         units={"distance": "m"},
    ...     )
    ...     found = study.run(show_progress=False)
    ...     found.values("force").round(6).tolist()
    [20.0, 30.0, 40.0]
    """

    build: Callable[..., System] | System
    variants: Variants
    quantities: Mapping[str, Any]
    _: KW_ONLY
    analysis: Callable[..., Any]
    store: str | os.PathLike
    bodies: Mapping[str, Callable[..., modal.ReducedBody]] | None = None
    units: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if not (callable(self.build) or isinstance(self.build, System)):
            raise InputError(f"Study: build must be a function or a System, not {self.build!r:.60}")
        rules = (
            ("variants", Variants),
            ("quantities", Mapping),
            ("bodies", Mapping | None),
            ("units", Mapping | None),
        )
        if any(not isinstance(getattr(self, name), kind) for name, kind in rules) or not callable(
            self.analysis
        ):
            return  # the annotations tell
        if found := self._problems():
            raise InputError("this study can't be run:\n  - " + "\n  - ".join(found))

    def __repr__(self) -> str:
        """Return the variants, the quantities and the store."""
        return f"<Study of {', '.join(list(self.quantities)[:8])} in {self.variants!r}, store {os.fspath(self.store)}>"

    def _problems(self) -> list[str]:
        """Return as sentences which names don't fit together."""
        names, bodies = list(self.variants.columns), self.bodies or {}
        found = list(maker_of(self.build, bodies).problems([*names, *bodies]))
        if not self.quantities:
            found.append("there are no quantities; give a dict such as {'force': ('reaction', 'wrist')}")
        if wrong := [name for name in self.quantities if not can_be_name(name)]:
            found.append(
                f"{listing(wrong)} can't be names of quantities; give texts such as 'force', {NAMES_ARE}"
            )
            return found
        if bodies and isinstance(self.build, System):
            found.append("bodies= needs a function that builds the machine")
        for name, function in bodies.items():
            if not callable(function):
                found.append(
                    f"body {name!r} is {function!r:.60}; give a function that returns a reduced body"
                )
                continue
            found += [each for each in misfits(function, f"bodies: {name!r}:", names) if "needs" in each]
        if not takes_one(self.analysis):
            found.append("analysis must take one argument, the machine")
        everything = [*names, *self.quantities, *TAKEN_NAMES]
        if twice := [
            x
            for x in dict.fromkeys(map(variable, everything))
            if list(map(variable, everything)).count(x) > 1
        ]:
            found.append(
                f"the names {listing(twice)} occur twice among parameters, quantities and {listing(TAKEN_NAMES)}"
            )
        if unknown := [name for name in self.units or {} if name not in (*names, *self.quantities)]:
            found.append(
                f"units= has {with_match(unknown, [*names, *self.quantities])}, "
                "which is neither a parameter nor a quantity"
            )
        return found

    @cached_property
    def _job(self) -> Job:
        return Job(
            maker_of(self.build, self.bodies or {}),
            self.analysis,
            dict(self.quantities),
            dict(self.bodies or {}),
        )

    @cached_property
    def _geometries(self) -> Geometries:
        return Geometries(self._job.bodies, self.variants)

    @check_arguments(own=("client",))
    def run(
        self,
        client: Any = None,
        *,
        workers: Annotated[int, Count] | None = None,
        processes: bool | None = None,
        show_progress: bool | None = None,
    ) -> StudyResult:
        """Compute all variants that the store does not hold yet.

        Parameters
        ----------
        client : distributed.Client, optional
            Client of a cluster of Dask, or its address. By default, workers on this computer are started, and stopped
            at the end.
        workers : int, optional
            Number of these; by default one for each core.
        processes : bool, optional
            Whether they are processes, or threads of this one. By default threads where the compiled loop takes nearly
            all of the time, or the study little time.
        show_progress : bool, optional
            Whether to show a progress bar with the time left; by default only in a terminal.

        Returns
        -------
        StudyResult
            The numbers of all variants.

        Raises
        ------
        fem.InputError
            Values build no machine, a quantity does not exist, or the first variants all fail; nothing is written then.
        fem.FileError
            The store is that of another study, another run writes to it, or it can't be written; what was computed
            before is kept.
        fem.FlexbodyError
            The cluster no longer answers; what was computed is kept.

        Notes
        -----
        A study that was stopped or killed goes on where it was. An interrupt (Ctrl-C) stops it; the result has what was
        computed so far.
        """
        for name in ("dask", "distributed", "zarr", "xarray"):
            extra(name)
        check_client(client)
        described = self._described()  # now: functions may change the values that they use
        store = Store.opened(self.store, described)
        if isinstance(client, str) and (store is None or len(store.pending)):
            with given_client(client) as opened:  # a wrong address is found before anything runs
                return self.run(opened, workers=workers, processes=processes, show_progress=show_progress)
        if store is None or not all(store.has(variable(name)) for name in self.quantities):
            store = self._begun(store, described, workers or n_cores())
        if len(store.pending):
            with locked(store.path):
                store.refresh()  # an earlier run may have gone on
                if len(store.pending):
                    self._compute(store, client, workers, processes, show_progress)
        return StudyResult(store, self.variants, list(self.quantities), self.result)

    @check_arguments
    def result(self, k: int) -> Any:
        """Return the result of one variant, computed here and now.

        Parameters
        ----------
        k : int
            Number of the variant, from 0.

        Returns
        -------
        Result or object
            What the analysis returns for it.

        Raises
        ------
        fem.InputError
            There is no such variant, or its machine can't be built.
        """
        if not 0 <= k < self.variants.n:
            raise InputError(f"there is no variant {k}; the study has variants 0 to {self.variants.n - 1}")
        job = self._job
        return job.analysis(job.machine(self.variants.values(k), self._geometries.made(k)))

    def _described(self) -> dict[str, Any]:
        """Return what identifies the study."""
        parts: dict[str, Any] = {"the function or machine of build": self.build, "analysis": self.analysis}
        parts |= {f"quantity {name!r}": one for name, one in self.quantities.items()}
        parts |= {f"body {name!r}": one for name, one in (self.bodies or {}).items()}
        parts |= {f"unit of {name!r}": one for name, one in (self.units or {}).items()}
        return described(self.variants.columns, {name: fingerprint(one) for name, one in parts.items()})

    def _begun(self, store: Store | None, described: Mapping[str, Any], workers: int) -> Store:
        """Return the store with the first variants, which are computed here."""
        trial: Trial = checked(self._job, self.variants, self._geometries, _short_run)
        units = {**trial.units, **(self.units or {})}
        if store is None:
            cost = max(trial.rows[-1].seconds, 1e-6)
            most = self.variants.n // (BATCHES_PER_WORKER * workers)
            batch = max(1, min(round(BATCH_SECONDS / cost), most, LARGEST_BATCH))
            about = {"batch": batch, "compiled": trial.compiled}
            store = Store.created(self.store, described, self.variants.columns, units, about)
        counts = self._geometries.counts(store.pending)
        for key, body in trial.bodies.items():
            if counts[key] > 1 and isinstance(body, modal.ReducedBody):
                store.keep_body(self._geometries.key_in_store(key), body)
        for k, row in enumerate(trial.rows):
            store.write(np.array([k]), [row], units)
        return store

    def _compute(
        self, store: Store, client: Any, workers: int | None, processes: bool | None, show: bool | None
    ) -> None:
        """Compute the pending variants with the workers of a cluster."""
        n = self.variants.n
        try:
            with (
                self._client(store, client, workers, processes) as opened,
                progress(n, "study", "variants", show) as bar,
            ):
                bar.n = bar.initial = n - len(store.pending)
                units = dict(self.units or {})
                Dispatch(self._job, self.variants, self._geometries, store, opened, units).go(bar)
        except KeyboardInterrupt:
            done = n - len(store.pending)
            logger.warning(
                "interrupted: %d of %d variants are in %s; run the study again to go on", done, n, store.path
            )

    def _client(self, store: Store, client: Any, workers: int | None, processes: bool | None) -> Any:
        """Return a block in which there is a client: the given one, or one of workers on this computer."""
        if client is not None:
            return given_client(client)
        count = workers or n_cores()
        if processes is None:
            rows = store.status != TO_DO
            cost = float(np.mean(store.read("seconds")[rows])) * len(store.pending)
            processes = count > 1 and cost > SHORT_STUDY and store.about["compiled"] < COMPILED_SHARE
        return local_client(min(count, len(store.pending)), processes)


def _short_run(machine: System) -> Record:
    """Return a short run of a machine."""
    return simulate(machine, TRIAL_LENGTH, step=TRIAL_LENGTH, show_progress=False)
