"""The command line: ``flexbody demo``, ``mesh FILE``, ``reduce FILE``, ``run SCRIPT`` and ``study SCRIPT``."""

from __future__ import annotations

import argparse
import logging
import math
import os
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

#: Exit codes: an error that the user can correct, an interrupt (128 + SIGINT), a closed pipe (128 + SIGPIPE).
INPUT_ERROR, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
#: endings of the files of results and of reduced bodies
RESULT_ENDINGS = (".h5", ".hdf5")  # those of fem.common.hdf5, which is imported later
#: errors of variants that a study prints
ERRORS_SHOWN = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments; by default those of the process.

    Returns
    -------
    int
        0, 2 after an error that the user can correct (one line on standard error, without a traceback), or 130 after an
        interrupt.
    """
    parser, commands = _parsers()
    _check_words(parser, commands, sys.argv[1:] if arguments is None else arguments)
    chosen = parser.parse_args(arguments)
    if not hasattr(chosen, "run"):
        parser.print_help()
        return 0
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    from fem.common.errors import FlexbodyError

    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            return chosen.run(chosen)
    except FlexbodyError as error:
        return _complain(str(error))
    except BrokenPipeError:  # the reader of a pipe, such as head, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (OSError, MemoryError) as error:
        return _complain(f"{type(error).__name__}: {error}")
    except KeyboardInterrupt:
        print("flexbody: interrupted; complete files are kept", file=sys.stderr)
        return INTERRUPTED


def _check_words(
    parser: argparse.ArgumentParser, commands: Mapping[str, argparse.ArgumentParser], words: Sequence[str]
) -> None:
    """End the program, as argparse does, if a command or an option does not exist; name the one that is meant."""
    from fem.common.names import with_match

    command = next(iter(words), "--help")
    if command.startswith("-"):
        return
    if command not in commands:
        parser.error(f"there is no command {with_match(command, commands)}; there are {', '.join(commands)}")
    options = re.findall(r"--[\w-]+", commands[command].format_help())
    for word in words[1:]:
        option = word.split("=")[0]
        if word.startswith("--") and not any(known.startswith(option) for known in options):
            commands[command].error(f"there is no option {with_match(option, options)}")


def _parsers() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """Return the parser of the command line, and those of the commands by name."""
    parser = argparse.ArgumentParser(
        prog="flexbody", description="Flexible multibody dynamics: mesh in, modes out, machine in motion."
    )
    parser.add_argument("--version", action="version", version=f"flexbody {_version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    demo = commands.add_parser(
        "demo", help="a slider-crank with a flexible connecting rod, from mesh to film"
    )
    demo.set_defaults(run=_demo)
    add = demo.add_argument
    add(
        "--out",
        type=Path,
        default=Path("flexbody-demo"),
        metavar="DIR",
        help="folder that exists (default: ./flexbody-demo, which is made)",
    )
    add("--mesh", type=Path, metavar="FILE", help="a connecting rod of your own: .msh, .vtu or Abaqus .inp")
    add("--units", default="SI", help="units of that mesh: SI, mm, mm-kg, mm-kg-s or inch (default: SI)")
    eye = (
        "a node set of the mesh, or x,y,z (m) near it; not needed if the mesh names it or has two round holes"
    )
    add("--big-end", metavar="EYE", help=eye)
    add("--small-end", metavar="EYE", help="as --big-end")
    add("--material", metavar="E,NU,RHO", help="Pa, -, kg/m^3; by default that of the mesh file, or steel")
    add("--t-end", type=float, default=0.06, metavar="S", help="length of the run (default: 0.06 s)")
    add("--rate", type=float, default=150.0, metavar="RAD/S", help="speed of the crank (default: 150 rad/s)")
    add("--modes", type=int, default=8, help="modes with both eyes held (default: 8)")
    add(
        "--film",
        choices=("mp4", "gif", "html", "none"),
        default="mp4",
        help="kind of film (default: mp4); html: a page to turn",
    )
    add("--no-film", dest="film", action="store_const", const="none", help="same as --film none")

    _add_mesh(commands)
    _add_reduce(commands)
    _add_run(commands)
    _add_study(commands)
    return parser, commands.choices


def _add_mesh(commands: argparse._SubParsersAction) -> None:
    mesh = commands.add_parser("mesh", help="contents of a mesh file: elements, sets, size, round holes")
    mesh.set_defaults(run=_mesh)
    mesh.add_argument("file", type=Path, metavar="FILE")
    mesh.add_argument(
        "--units", default="SI", help="units of the file: SI, mm, mm-kg, mm-kg-s or inch (default: SI)"
    )
    mesh.add_argument(
        "--elements",
        default="",
        metavar="NAME,NAME",
        help="groups of surfaces or lines that are meshes of shells or beams",
    )
    mesh.add_argument(
        "--size", type=_positive, metavar="M", help="size of elements to mesh a geometry (.step), m"
    )
    mesh.add_argument("--picture", type=Path, metavar="PNG", help="write a picture of it")


def _add_reduce(commands: argparse._SubParsersAction) -> None:
    reduce = commands.add_parser(
        "reduce",
        help="a reduced body of a mesh file that describes it whole, with the report of its accuracy",
    )
    reduce.set_defaults(run=_reduce)
    add = reduce.add_argument
    add("file", type=Path, metavar="FILE")
    add("--size", type=_positive, metavar="M", help="size of elements to mesh a geometry (.step), m")
    what = "node sets, numbers of nodes (1000,1001), or round holes (hole1,hole2) in the order of flexbody mesh FILE"
    add("--interfaces", required=True, metavar="A,B", help=what)
    add("--f-max", type=_positive, required=True, metavar="HZ", help="highest frequency of interest")
    add("--out", type=Path, required=True, metavar="BODY.h5", help="file of the reduced body, .h5 or .hdf5")
    add("--units", default="SI", help="units of the file: SI, mm, mm-kg, mm-kg-s or inch (default: SI)")
    add("--material", metavar="E,NU,RHO", help="Pa, -, kg/m^3; by default that of the file")


def _add_run(commands: argparse._SubParsersAction) -> None:
    run = commands.add_parser(
        "run", help="simulate the machine that a script defines (machine = fb.System(...))"
    )
    run.set_defaults(run=_run)
    run.add_argument("script", type=Path, metavar="SCRIPT")
    run.add_argument("--t-end", type=_positive, required=True, metavar="S", help="length of the run")
    run.add_argument("--save", type=Path, metavar="RUN.h5", help="file of the result, .h5 or .hdf5")


def _add_study(commands: argparse._SubParsersAction) -> None:
    study = commands.add_parser("study", help="run the study that a script defines (study = fb.Study(...))")
    study.set_defaults(run=_study)
    study.add_argument("script", type=Path, metavar="SCRIPT")
    where = study.add_mutually_exclusive_group()
    where.add_argument(
        "--workers", type=_count, metavar="N", help="number of workers here (default: one for each core)"
    )
    where.add_argument(
        "--cluster", metavar="ADDRESS", help="scheduler of a cluster of Dask, such as tcp://host:8786"
    )


def _count(words: str) -> int:
    """Return a whole number from 1; argparse names the option in the error."""
    if not (words.isdecimal() and int(words) > 0):
        raise argparse.ArgumentTypeError(f"{words!r} must be a whole number from 1")
    return int(words)


def _positive(words: str) -> float:
    """Return a finite number above zero; argparse names the option in the error."""
    try:
        value = float(words)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{words!r} must be a finite number above zero")
    return value


def _demo(chosen: argparse.Namespace) -> int:
    from .demo.slider_crank import Settings, run

    settings = Settings(
        mesh=chosen.mesh,
        units=chosen.units,
        big_end=chosen.big_end,
        small_end=chosen.small_end,
        material=_material(chosen.material),
        out=chosen.out,
        t_end=chosen.t_end,
        rate=chosen.rate,
        modes=chosen.modes,
        film=chosen.film,
    )
    report = run(settings, write_line=lambda what, words: print(f"{what:<20}{words}", flush=True))
    return INTERRUPTED if report.result.statistics.interrupted else 0


def _material(words: str | None):
    """Return the material ``E,NU,RHO``, or None."""
    if words is None:
        return None
    import fem

    try:
        E, nu, rho = (float(word) for word in words.split(","))
    except ValueError:
        raise fem.InputError(f"--material is {words!r}; give E,NU,RHO, for steel 210e9,0.3,7850") from None
    return fem.Isotropic(E=E, nu=nu, rho=rho)


def _check_target(option: str, path: Path | None, endings: Sequence[str]) -> None:
    """Raise an error that names the option if the file can't be written, before any work."""
    from fem.common.errors import InputError
    from fem.common.files import check_file

    try:
        check_file(path, endings)
    except InputError as error:
        raise InputError(f"{option}: {error}") from error


def _mesh(chosen: argparse.Namespace) -> int:
    import fem
    from fem.mesh.holes import find_holes

    if chosen.picture is not None:
        from .view.displayed import PICTURE_ENDINGS

        _check_target("--picture", chosen.picture, PICTURE_ENDINGS)
    names = tuple(name for name in chosen.elements.split(",") if name)
    mesh = fem.read_mesh(chosen.file, units=chosen.units, elements=names, size=chosen.size)
    print(mesh.report())
    for k, hole in enumerate(find_holes(mesh)):
        print(f"  {'round holes' if k == 0 else '':<13} hole{k + 1}: {hole}")
    if chosen.picture is not None:
        from .view import picture_mesh

        picture_mesh(mesh, chosen.picture, supports=mesh.supports)
        print(f"  picture       {chosen.picture}")
    return 0


def _reduce(chosen: argparse.Namespace) -> int:
    import fem
    import modal
    from fem.mesh.holes import with_numbered_holes

    _check_target("--out", chosen.out, RESULT_ENDINGS)
    material = _material(chosen.material)
    names = tuple(name.strip() for name in chosen.interfaces.split(",") if name.strip())
    if not names:
        raise fem.InputError("--interfaces names no node set; give those where joints and forces will act")
    mesh = fem.read_mesh(chosen.file, units=chosen.units, size=chosen.size)
    mesh = with_numbered_holes(mesh, names)
    print(mesh.report())
    if mesh.supports:
        print("the supports of the file are no part of the body: joints hold it in a machine")
    if material is None and not mesh.properties and not mesh.materials:
        mend = "--material E,NU,RHO" if mesh.solids else "sections in the file"
        raise fem.InputError(f"{chosen.file} names no material; give {mend}")
    structure = fem.assemble(mesh, material)
    advice = modal.recommend(structure, names, f_max_hz=chosen.f_max)
    print(advice)
    body = modal.reduce(structure, advice.basis, name=mesh.name).with_accuracy(structure)
    print(body.report())
    print(f"written to {body.save(chosen.out)}")
    return 0


def _run(chosen: argparse.Namespace) -> int:
    from .analyses.simulate import simulate
    from .model.system import System
    from .studies.script import object_in

    _check_target("--save", chosen.save, RESULT_ENDINGS)
    result = simulate(object_in(chosen.script, System, "machine"), chosen.t_end, save=chosen.save)
    statistics = result.statistics
    print(f"{result}\n{statistics.method}, {statistics.steps} steps, {statistics.cpu_seconds:.3g} s")
    if chosen.save is not None:
        print(f"written to {chosen.save}")
    return INTERRUPTED if statistics.interrupted else 0


def _study(chosen: argparse.Namespace) -> int:
    from .studies.script import object_in
    from .studies.study import Study

    found = object_in(chosen.script, Study, "study").run(chosen.cluster, workers=chosen.workers)
    to_do, done, failed = found.store.counts
    print(f"{done} variants done, {failed} failed" + (f", {to_do} to do" if to_do else ""))
    for k, words in list(found.errors.items())[:ERRORS_SHOWN]:
        print(f"variant {k}: {words}")
    print(f"written to {found.store.path}")
    return INTERRUPTED if to_do else 0


def _version() -> str:
    from . import __version__

    return __version__


def _complain(words: str) -> int:
    lines = [line.strip().removeprefix("- ") for line in words.splitlines() if line.strip()]
    print("flexbody: " + "; ".join(lines).replace(":;", ":"), file=sys.stderr)
    return INPUT_ERROR


def _show_warning(message, category, filename, lineno, file=None, line=None) -> None:
    print(f"warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
