"""The store of a study: one Zarr group, an xarray Dataset, into which rows are written in any order.

Each variable has one chunk for each batch of variants, and each chunk is a file that appears when it is complete. The
status of a batch is written after its values. So a study can end at any moment: a batch without a status is computed
again, and all others are not.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import modal
from fem.common.errors import FileError, InputError, listing
from fem.common.files import path_of

from .fingerprint import fingerprint
from .row import Row, read_whole
from .store_check import CHECKSUM, DONE, FAILED, OWN_NAMES, TO_DO, check_whole, seal
from .variants import range_of

if TYPE_CHECKING:
    import xarray
    import zarr

#: version of the layout of the group
VERSION = 2
#: ending of the folder of a variable that is not complete yet
BEGUN = ".part"
#: dimension of the variants
VARIANT = "variant"
#: folder inside the group for reduced bodies that several variants share; no parameter or quantity can have its name
BODIES = ".bodies"
#: names that no parameter or quantity can have; the last is a file of Zarr
TAKEN_NAMES = (*OWN_NAMES, VARIANT, "zarr.json")


def extra(name: str) -> Any:
    """Return a module of the extra "studies"; raise InputError that says how to install it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            "a study needs the packages dask, zarr and xarray, and one is missing "
            f"({name}); install them: pip install flexbody[studies]"
        ) from None


class Store:
    """A group on the disk with rows of a study.

    Parameters
    ----------
    path : pathlib.Path
        Folder of the group.
    group : zarr.Group
        The open group.
    """

    def __init__(self, path: Path, group: zarr.Group) -> None:
        self.path, self.group = path, group
        self._opened: dict[str, zarr.Array] = {}
        self.refresh()

    # ---- opening ---------------------------------------------------------------------------------

    @classmethod
    def opened(cls, path: str | os.PathLike, wanted: Mapping[str, Any]) -> Store | None:
        """Return the store at a path; None if nothing is there.

        Raises
        ------
        fem.FileError
            There is something else, or another study: the message says what differs.
        """
        path = path_of(path)
        if not path.exists():
            if not path.absolute().parent.is_dir():
                raise FileError(f"can't write {path}: the folder {path.parent} does not exist; make it first")
            return None
        zarr = extra("zarr")
        try:
            group = zarr.open_group(str(path), mode="r+", zarr_format=3)
            found = group.attrs.asdict()
            kind, version = found.get("kind"), found.get("schema_version", 0)
        except Exception:  # whatever zarr finds in a folder that is none of its own
            kind, version, found = None, 0, {}
        if kind != "study":
            raise FileError(f"{path} is not the store of a study; give another name, or remove it")
        if version > VERSION:
            raise FileError(
                f"{path} has schema version {version}, this program reads up to {VERSION}; install a newer flexbody"
            )
        check_whole(path, group)
        if differing := list(differences(json.loads(str(found["study"])), wanted)):
            raise FileError(
                f"{path} holds another study: {'; '.join(differing)}. Give this study another store, or remove that one"
            )
        with writing(path):
            return cls(path, group)

    @classmethod
    def created(
        cls,
        path: str | os.PathLike,
        wanted: Mapping[str, Any],
        columns: Mapping[str, np.ndarray],
        units: Mapping[str, str],
        about: Mapping[str, float],
    ) -> Store:
        """Return a new store with the parameters of all variants, and no rows.

        The group is made beside its place and takes its name when it is complete. ``about``: numbers about the study,
        the size of its batches among them.
        """
        batch = int(about["batch"])
        zarr, path = extra("zarr"), path_of(path)
        begun = path.with_name(f".{path.name}.{os.getpid()}.part")
        with writing(path):
            shutil.rmtree(begun, ignore_errors=True)
            try:
                attributes = {
                    "program": "flexbody", "kind": "study", "schema_version": VERSION, "about": dict(about),
                    "study": json.dumps(wanted), "coordinates": " ".join(variable(name) for name in columns),
                }  # fmt: skip
                group = zarr.create_group(str(begun), attributes=attributes, zarr_format=3)
                n = len(next(iter(columns.values())))
                for name, values in columns.items():
                    kind = str if values.dtype == object else values.dtype
                    words = {"units": units.get(name, ""), "long_name": name}
                    _add(group, variable(name), (n,), kind, n, words)[...] = values
                words = {"long_name": f"{TO_DO}: to do, {DONE}: done, {FAILED}: failed"}
                _add(group, "status", (n,), np.int8, batch, words)
                _add(group, "error", (n,), str, batch, {})
                _add(group, "warnings", (n,), str, batch, {})
                _add(group, "seconds", (n,), float, batch, {"units": "s", "long_name": "processor time"})
                seal(begun / "zarr.json")
                os.replace(begun, path)
            except BaseException:
                shutil.rmtree(begun, ignore_errors=True)
                raise
            return cls(path, zarr.open_group(str(path), mode="r+", zarr_format=3))

    # ---- reading ---------------------------------------------------------------------------------

    def _array(self, name: str) -> zarr.Array:
        """Return a variable, opened once: each opening reads a file."""
        if name not in self._opened:
            with _all_pieces():
                self._opened[name] = self.group[name]  # type: ignore[assignment]
        return self._opened[name]

    def has(self, name: str) -> bool:
        """Return whether there is a variable of this name."""
        return name in self._opened or name in self.group

    def read(self, name: str) -> np.ndarray:
        """Return the values of a variable, (n, ...)."""
        return np.asarray(self._array(name)[...])

    def unit(self, name: str) -> str:
        """Return the unit of a variable; "" if it has none."""
        return str(self._array(name).attrs.get("units", ""))

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of the values that a variable has for each variant."""
        return tuple(self._array(name).shape[1:])

    @property
    def about(self) -> dict[str, float]:
        """Numbers about the study: "batch", the variants that are written together, and others."""
        return self.group.attrs["about"]  # type: ignore[return-value]

    def refresh(self) -> None:
        """Read again which variants have been computed."""
        self.status = self.read("status")

    @property
    def pending(self) -> np.ndarray:
        """Numbers of the variants that have not been computed."""
        return np.flatnonzero(self.status == TO_DO)

    def batches(self) -> Iterator[np.ndarray]:
        """Yield the numbers of the pending variants of each batch that has some."""
        pending = self.pending
        for _, rows in _grouped(pending, int(self.about["batch"])):
            yield rows

    @property
    def counts(self) -> tuple[int, int, int]:
        """Numbers of the variants to do, done and failed."""
        to_do, done, failed = (int(np.sum(self.status == kind)) for kind in (TO_DO, DONE, FAILED))
        return to_do, done, failed

    def dataset(self) -> xarray.Dataset:
        """Return the whole store as a Dataset whose values are read when they are used."""
        begun = [one.name for one in self.path.glob(f".*{BEGUN}")]
        found = extra("xarray").open_zarr(
            str(self.path), chunks=None, consolidated=False, drop_variables=begun
        )
        for one in (found, *found.variables.values()):
            one.attrs.pop(CHECKSUM, None)
        return found

    # ---- writing ---------------------------------------------------------------------------------

    def write(self, numbers: np.ndarray, rows: Sequence[Row], units: Mapping[str, str]) -> None:
        """Write rows of variants of one batch, their status last.

        A row with quantities of other shapes than those of earlier rows is written as failed.
        """
        rows = [self._fitting(row) for row in rows]
        with writing(self.path):
            for row in rows:
                if row.values:
                    self._add_quantities(row.values, units)
                    break
            named = {name for row in rows for name in row.values}
            for name in sorted(named):
                shape = self.shape(variable(name))
                values = [row.values.get(name, np.full(shape, np.nan)) for row in rows]
                self._put(variable(name), numbers, np.array(values))
            self._put("error", numbers, np.array([row.error for row in rows], dtype=object))
            if any(row.warnings for row in rows):
                self._put("warnings", numbers, np.array([row.warnings for row in rows], dtype=object))
            self._put("seconds", numbers, np.array([row.seconds for row in rows]))
            status = np.array([FAILED if row.error else DONE for row in rows], dtype=np.int8)
            self._put("status", numbers, status)
        self.status[numbers] = status

    def body(self, key: str) -> modal.ReducedBody | None:
        """Return a reduced body that was kept under a key; None if there is none."""
        place = f"{BODIES}/{key}"
        if place not in self.group:
            return None
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "body.h5")
            file.write_bytes(self.read(place).tobytes())
            return read_whole(modal.load(file))

    def keep_body(self, key: str, body: modal.ReducedBody) -> None:
        """Keep a reduced body for later runs of the study, as the bytes of its own file."""
        with tempfile.TemporaryDirectory() as folder:
            content = np.frombuffer(body.save(Path(folder, "body.h5")).read_bytes(), dtype=np.uint8)
        with writing(self.path):
            group = self.group.require_group(BODIES)
            array = group.create_array(
                key, shape=content.shape, chunks=content.shape, dtype=np.uint8, overwrite=True
            )
            array[...] = content

    def _put(self, name: str, numbers: np.ndarray, values: np.ndarray) -> None:
        array = self._array(name)
        first, last = int(numbers[0]), int(numbers[-1]) + 1
        if last - first == len(numbers):
            array[first:last] = values
        else:
            array.set_orthogonal_selection((numbers,) + (slice(None),) * (values.ndim - 1), values)

    def _fitting(self, row: Row) -> Row:
        """Return a row, or its error if its quantities have other shapes than those of earlier rows."""
        for name, value in row.values.items():
            known = self.shape(variable(name)) if self.has(variable(name)) else value.shape
            if value.shape != known:
                error = f"InputError: quantity {name!r} has the shape {value.shape}, and {known} in earlier variants"
                return Row({}, error, row.warnings, row.seconds)
        return row

    def _add_quantities(self, values: Mapping[str, np.ndarray], units: Mapping[str, str]) -> None:
        for name, value in values.items():
            if not self.has(variable(name)):
                words = {"units": units.get(name, ""), "long_name": name}
                _add(
                    self.group,
                    variable(name),
                    (len(self.status), *value.shape),
                    float,
                    int(self.about["batch"]),
                    words,
                )


def variable(name: str) -> str:
    """Return the name of a variable for a parameter or quantity: a folder can't have all names."""
    return "".join(c if c.isalnum() or c in "_.-+" else "_" for c in name)


def _grouped(numbers: np.ndarray, batch: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield batches of numbers of variants."""
    which = numbers // batch
    for start, end in zip(*_runs(which), strict=True):
        yield int(which[start]), numbers[start:end]


def _runs(which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return beginnings and ends of runs of equal values."""
    ends = np.append(np.flatnonzero(np.diff(which)) + 1, len(which)) if len(which) else np.zeros(0, int)
    return np.append(0, ends[:-1])[: len(ends)], ends


def _add(
    group: zarr.Group, name: str, shape: tuple[int, ...], kind: Any, chunk: int, attributes: Mapping[str, str]
) -> zarr.Array:
    """Return a new variable with the dimension of the variants; nothing of it is written yet.

    It has its name only when its description has its checksum, so that a killed process leaves none without.
    """
    fill: Any = {"f": np.nan, "T": ""}.get(np.dtype(kind).kind if kind is not str else "T", 0)
    dims = (VARIANT, *(f"{name}_{k}" for k in range(1, len(shape))))
    codecs = extra("zarr.codecs")
    folder = Path(group.store.root, group.path)  # type: ignore[attr-defined]
    begun = f".{name}{BEGUN}"
    with _all_pieces():
        group.create_array(
            begun, shape=shape, chunks=(chunk, *shape[1:]), dtype=kind, fill_value=fill, dimension_names=dims,
            attributes={key: value for key, value in attributes.items() if value},
            compressors=[codecs.ZstdCodec(), codecs.Crc32cCodec()], overwrite=True,
        )  # fmt: skip
        seal(folder / begun / "zarr.json")
        os.replace(folder / begun, folder / name)
        return group[name]  # type: ignore[return-value]


def _all_pieces() -> Any:
    """Return a context in which arrays are opened that write each piece, so that one that is not there is missing."""
    return extra("zarr").config.set({"array.write_empty_chunks": True})


def described(columns: Mapping[str, np.ndarray], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what identifies a study: ranges and fingerprints of its parameters, and of its other parts."""
    parameters = {name: f"{len(x)} values, {range_of(x)}" for name, x in columns.items()}
    prints = {name: fingerprint(x) for name, x in columns.items()}
    return {"parameters": parameters, "values": prints, "parts": dict(parts)}


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    """Yield in words what differs between a stored study and another one."""
    old, new = there["parameters"], here["parameters"]
    if list(old) != list(new):
        yield f"its parameters are {listing(old)}, and those of this one {listing(new)}"
    for name in old:
        if name in new and there["values"][name] != here["values"][name]:
            yield f"parameter '{name}' has other values ({old[name]} there, {new[name]} here)"
    for name in sorted({*there["parts"], *here["parts"]}):
        one, other = there["parts"].get(name), here["parts"].get(name)
        if one is None or other is None:
            yield f"{name} is only in {'this one' if one is None else 'the store'}"
        elif one != other:
            yield f"{name} is not the same, or what it uses from outside is not"


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the disk into one clear error."""
    try:
        yield
    except OSError as error:
        raise FileError(
            f"can't write {path}: {error.strerror or error}; what was written before is kept, and the next run goes on"
        ) from error
