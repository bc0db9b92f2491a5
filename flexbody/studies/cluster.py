"""Workers on this computer: threads of this process, or processes."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fem.common.errors import FlexbodyError, InputError, called
from fem.common.values import Name

from .store import extra

#: seconds after which worker processes end themselves when they find no scheduler
ORPHANED = "60"
#: After this time a process that does not answer has gone; by default Dask tries to reach it three times as long.
CONNECTED = "10s"
#: messages with batches of variants that Dask keeps in memory for its log; a thousand by default
MESSAGES_KEPT = 20
#: seconds in which the first worker process must start, and in which all must end
START_SECONDS, END_SECONDS = 120, 5


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on all systems
        return os.cpu_count() or 1


@contextmanager
def local_client(workers: int, processes: bool) -> Iterator[Any]:
    """Open a cluster of Dask on this computer, and yield its client.

    The scheduler is in this process. Processes are started by Dask's command, not by multiprocessing: so a script needs
    no guard for its main part. They end themselves when the scheduler has gone.
    """
    distributed = extra("distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    # threads share the memory of this program, which Dask should not watch
    threads = (
        {"protocol": "tcp://", "n_workers": 0}
        if processes
        else {"n_workers": 1, "threads_per_worker": workers}
    )
    quiet: dict[str, Any] = {
        "dashboard_address": "127.0.0.1:0",
        "silence_logs": logging.CRITICAL,
        "memory_limit": 0,
    }
    with (
        extra("dask").config.set({"distributed.admin.low-level-log-length": MESSAGES_KEPT}),
        distributed.LocalCluster(
            processes=False, host="127.0.0.1" if processes else None, **threads, **quiet
        ) as cluster,
        distributed.Client(cluster) as client,
        worker_processes(cluster.scheduler_address, workers if processes else 0),
    ):
        if processes:
            _wait(client)
        yield client


@contextmanager
def worker_processes(address: str, count: int) -> Iterator[None]:
    """Start processes that work for a scheduler, and end them after the block."""
    if not count:
        yield
        return
    command = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        address,
        "--nworkers",
        str(count),
        "--nthreads",
        "1",
    ]
    command += ["--no-dashboard", "--death-timeout", ORPHANED]
    quiet = {f"DASK_LOGGING__{name}": "critical" for name in ("DISTRIBUTED", "TORNADO", "BOKEH")}
    quiet["DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT"] = CONNECTED
    quiet["PYTHONWARNINGS"] = (
        "ignore::UserWarning:multiprocessing.resource_tracker"  # of a worker that was killed
    )
    environment = {
        **os.environ,
        **quiet,
        "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in sys.path),
    }
    # Ctrl-C is for this process, which ends the others
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def _wait(client: Any) -> None:
    """Wait until the first worker process is there."""
    try:
        client.wait_for_workers(1, timeout=START_SECONDS)
    except TimeoutError:
        raise FlexbodyError(
            f"no worker process has started in {START_SECONDS} s; run the study with processes=False, or give a client"
        ) from None


def check_client(client: Any) -> None:
    """Raise :class:`fem.InputError` if ``client`` is neither a client, an address, nor None."""
    if not (client is None or Name.takes(client) or isinstance(client, extra("distributed").Client)):
        raise InputError(
            f"client is {called(client)}; give a distributed.Client, or the address of its scheduler"
        )


@contextmanager
def given_client(client: Any) -> Iterator[Any]:
    """Yield the client that a user gives; of an address, a client that is closed after the block.

    Raises
    ------
    fem.InputError
        It is neither, or there is no scheduler.
    """
    distributed = extra("distributed")
    check_client(client)
    if isinstance(client, distributed.Client):
        yield client
        return
    for name in ("distributed", "distributed.client"):  # one error of ours tells that a scheduler has gone
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        opened = distributed.Client(client, timeout="10 s")
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(f"there is no scheduler at {client!r}: {type(error).__name__} {error}") from None
    with opened:
        yield opened
