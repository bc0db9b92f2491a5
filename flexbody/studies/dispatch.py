"""The loop that gives batches of variants to the workers of Dask, and writes what comes back."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import modal
from fem.common.errors import FlexbodyError

from .cluster import CONNECTED
from .geometries import Geometries, Key
from .job import Job, NotMade, made_body, rows_of
from .row import Row
from .store import Store, extra
from .variants import Variants

#: batches that wait in a worker for each of its threads, besides the one that is computed
WAITING_BATCHES = 1


@dataclass(frozen=True)
class _Task:
    """A batch of variants, or a body, that a worker computes."""

    numbers: np.ndarray  # of the variants; none of a body
    key: Key | None = None


def loaded(content: bytes) -> Any:
    """Return a value from its bytes, in a worker; the scheduler may not have the modules of the user."""
    return pickle.loads(content)


class Dispatch:
    """The batches of a study in the workers of Dask.

    Parameters
    ----------
    job : Job
        What all variants have in common.
    variants : Variants
        The variants.
    geometries : Geometries
        Which variants need which bodies.
    store : Store
        Where rows are written.
    client : distributed.Client
        The workers.
    units : dict of str
        Units of the quantities.
    """

    def __init__(
        self,
        job: Job,
        variants: Variants,
        geometries: Geometries,
        store: Store,
        client: Any,
        units: Mapping[str, str],
    ) -> None:
        self.variants, self.geometries, self.store, self.client, self.units = (
            variants,
            geometries,
            store,
            client,
            units,
        )
        self.distributed = extra("distributed")
        self.gone = (OSError, TimeoutError, extra("distributed.comm").CommClosedError)
        self.tasks: dict[Any, _Task] = {}  # by future
        self.bodies: dict[Key, Any] = {}  # futures
        self.needed = geometries.counts(store.pending)
        self.shared = {key for key, count in self.needed.items() if count > 1}
        self.completed = self.distributed.as_completed()
        self._job = client.submit(loaded, extra("cloudpickle").dumps(job), pure=False)

    def go(self, bar: Any) -> None:
        """Compute all pending variants."""
        try:
            with extra("dask").config.set({"distributed.comm.timeouts.connect": CONNECTED}):
                self._loop(bar)
        except self.gone as error:
            raise self._lost() from error
        finally:
            self._cancel()

    def _loop(self, bar: Any) -> None:
        batches = self.store.batches()
        running = True
        while running or self.tasks:
            while running and self._has_room():
                batch = next(batches, None)
                running = batch is not None
                if batch is not None:
                    self._submit(batch)
            if self.tasks:
                self._take(next(self.completed), bar)

    def _has_room(self) -> bool:
        """Return whether another batch may be submitted: so that memory is bounded whatever the number of variants."""
        threads = sum(self.client.nthreads().values())
        batches = sum(task.key is None for task in self.tasks.values())
        return batches < max(2, (1 + WAITING_BATCHES) * threads)

    def _submit(self, numbers: np.ndarray) -> None:
        """Give a batch to the workers, after the bodies that it needs."""
        keys = [self.geometries.keys(int(k)) for k in numbers]
        distinct = list(dict.fromkeys(key for each in keys for key in each.values()))
        bodies = [self._body(key) for key in distinct]
        needed = [{name: distinct.index(key) for name, key in each.items()} for each in keys]
        variants = [self.variants.values(int(k)) for k in numbers]
        self._add(
            self.client.submit(rows_of, self._job, variants, needed, bodies, pure=False), _Task(numbers)
        )

    def _body(self, key: Key) -> Any:
        """Return the future of a body, which is made once."""
        if key not in self.bodies:
            kept = self.store.body(self.geometries.key_in_store(key)) if key in self.shared else None
            if kept is None:
                future = self.client.submit(
                    made_body, self._job, key[0], self.geometries.values(key), pure=False
                )
            else:
                future = self.client.submit(loaded, pickle.dumps(kept), pure=False)
                self.shared.discard(key)  # it is in the store
            self.bodies[key] = future
            if key in self.shared:
                self._add(future, _Task(np.zeros(0, int), key))
        return self.bodies[key]

    def _add(self, future: Any, task: _Task) -> None:
        self.tasks[future] = task
        self.completed.add(future)

    def _take(self, future: Any, bar: Any) -> None:
        """Write what a worker has computed."""
        if future.status in (
            "lost",
            "pending",
        ):  # its worker has gone since it was finished: it is computed again
            self.completed.add(future)
            return
        task = self.tasks.pop(future)
        if future.status == "cancelled":
            raise self._lost()
        if task.key is not None:
            self._keep(task.key, future)
            return
        try:
            rows = future.result()
        except self.distributed.KilledWorker:
            self._after_killing(task.numbers, bar)
            return
        except self.gone:
            raise
        except Exception as error:
            raise FlexbodyError(
                f"the workers can't compute a batch of variants: {type(error).__name__}: {error}. They need "
                "flexbody, and the modules that the functions of the study import"
            ) from error
        self._write(task.numbers, rows, bar)

    def _after_killing(self, numbers: np.ndarray, bar: Any) -> None:
        """Compute the variants of a batch that has ended several workers one by one; a single one has failed."""
        if len(numbers) > 1:
            for k in numbers:
                self._submit(np.array([k]))
            return
        error = (
            "KilledWorker: this variant ended the process of several workers (too much memory, or a crash)"
        )
        self._write(numbers, [Row(error=error)], bar)

    def _write(self, numbers: np.ndarray, rows: list[Row], bar: Any) -> None:
        self.store.write(numbers, rows, self.units)
        bar.update(len(rows))
        for k in numbers:
            for key in self.geometries.keys(int(k)).values():
                self.needed[key] -= 1
                if not self.needed[key]:
                    self.bodies.pop(key, None)

    def _keep(self, key: Key, future: Any) -> None:
        """Write a body that several variants share to the store, so that a later run has it."""
        try:
            body = future.result()
        except self.gone:
            raise
        except Exception:  # the variants that need it tell
            return
        if isinstance(body, modal.ReducedBody) and not isinstance(body, NotMade):
            self.store.keep_body(self.geometries.key_in_store(key), body)

    def _lost(self) -> FlexbodyError:
        to_do, done, failed = self.store.counts
        return FlexbodyError(
            f"the cluster is gone: its scheduler no longer answers. {done + failed} of {to_do + done + failed} "
            f"variants are in {self.store.path}; run the study again, and it goes on there"
        )

    def _cancel(self) -> None:
        """Stop what still runs, and forget it."""
        pending = list(self.tasks)
        self.tasks.clear()
        if pending and self.client.status == "running":
            self.client.cancel(pending, force=True)
        self.bodies.clear()
