"""Topology of a machine: its spanning tree, its loops, and what closes them, as text and as a picture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import few
from fem.common.files import check_file, new_file
from fem.common.known_attributes import KnownAttributes

from ..model.joints import Connection, Joint
from ..model.sides import Body
from ..model.system import System, check_system
from ..model.tree import CutJoint, Hinge, Tree, joint_names, spanning_tree
from ..results.shown_figure import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: File endings of pictures.
ENDINGS = (".png", ".pdf", ".svg", ".jpg")
#: Loops that are listed in a report.
LISTED_LOOPS = 20
#: Distances in a picture, inches: between bodies along a path, between lines, and from a dashed line to other things.
BODY_WIDTH, LINE_HEIGHT, DASHED_DISTANCE = 2.3, 0.75, 0.35
#: Larger pictures are made smaller, with smaller texts; inches.
LARGEST_PICTURE = 40.0
#: Width of a letter of the title, inches.
TITLE_LETTER = 0.12
Places = dict[str, tuple[float, float]]
BODY_COLOUR, HINGE_COLOUR, CUT_COLOUR = "#1f4e79", "#3b4a54", "#b3541e"


@dataclass(frozen=True, eq=False, repr=False)
class Topology(KnownAttributes):
    """Spanning tree and loops of a machine, see :func:`topology`; ``print`` gives them as text.

    Attributes
    ----------
    machine : System
        The machine.
    hinges : tuple
        The joints of the tree. Hinge k leads from body ``hinges[k].inner`` to body ``hinges[k].outer``.
    cut_joints : tuple
        The joints that are cut. Cut joint k closes the loop of the hinges ``cut_joints[k].loop``.
    tree : Tree
        The same, as the equations of motion use it.
    """

    machine: System
    hinges: tuple[Hinge, ...]
    cut_joints: tuple[CutJoint, ...]
    tree: Tree

    # ---- numbers --------------------------------------------------------------------------------

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies in the order of the tree: a body comes after the body that carries it."""
        return self.tree.bodies

    @property
    def predecessors(self) -> np.ndarray:
        """Number of the body that carries each body, (n,); the ground has the number 0, ``bodies[k]`` number k + 1."""
        return self.tree.predecessors

    @property
    def S(self) -> np.ndarray:
        """Matrix S, (n, n): 1 where hinge k ends at body i, -1 where it starts there. S T = 1."""
        return self.tree.location[1:]

    @property
    def S_ground(self) -> np.ndarray:
        """Row S_0, (n,): -1 for the hinges that start at the ground."""
        return self.tree.location[0]

    @property
    def T(self) -> np.ndarray:
        """Matrix T of the paths, (n, n): 1 where hinge k lies between the ground and body i."""
        return self.tree.path_matrix

    @property
    def L(self) -> np.ndarray:
        """Location matrix of the hinges, (n + 1, n): the row of the ground, then S."""
        return self.tree.location

    @property
    def L_cut(self) -> np.ndarray:
        """Location matrix of the cut joints, (n + 1, nc): -1 at the first body of each, 1 at the second."""
        return self.tree.cut_location

    @property
    def joint_coordinates(self) -> int:
        """Number of joint coordinates: the free motions of all hinges."""
        return sum(hinge.coordinates for hinge in self.hinges)

    @property
    def closing_rows(self) -> int:
        """Number of constraints that close the loops."""
        return sum(cut.rows for cut in self.cut_joints)

    @check_arguments(own=("body",))
    def path(self, body: Body | str) -> tuple[str, ...]:
        """Return the hinges between the ground and a body.

        Parameters
        ----------
        body : Body or str
            The body.

        Returns
        -------
        tuple of str
            Labels of the hinges, from the ground outward.

        Raises
        ------
        fem.InputError
            The machine has no such body.
        """
        return tuple(hinge.label for hinge in self.tree.path(self.machine.body(body).name))

    # ---- text -----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return (
            f"<Topology: {_count(len(self.bodies), 'body', 'bodies')}, "
            f"{_count(self.joint_coordinates, 'joint coordinate')}, {_count(len(self.cut_joints), 'loop')} with "
            f"{_count(self.closing_rows, 'closing constraint')}>"
        )

    def __str__(self) -> str:
        return self.report()

    def report(self) -> str:
        """Return the tree, the loops and the counts as text.

        Returns
        -------
        str
            A line for each body, indented by its place in the tree, and a line for each loop.
        """
        outward: dict[str, list[Hinge]] = {}
        for hinge in self.hinges:
            outward.setdefault(hinge.inner, []).append(hinge)
        lines, stack = ["ground"], [(hinge, "  ") for hinge in reversed(outward.get("ground", []))]
        while stack:
            hinge, indent = stack.pop()
            lines.append(f"{indent}{hinge.outer}  ({hinge.label}, {_count(hinge.coordinates, 'coordinate')})")
            stack += [(other, indent + "  ") for other in reversed(outward.get(hinge.outer, []))]
        for cut in self.cut_joints[:LISTED_LOOPS]:
            lines.append(
                f"loop {' - '.join(cut.bodies)}: cut at {cut.joint.label},\n"
                f"  {_count(cut.rows, 'closing constraint')} ({cut.kinds}); {cut.reason}"
            )
        if (more := len(self.cut_joints) - LISTED_LOOPS) > 0:
            lines.append(f"and {_count(more, 'more loop')}")
        return "\n".join([*lines, *self._counts()])

    def _further(self) -> list[Connection]:
        """Return the drives, couplings and constraints, which are not joints."""
        return [item for item in self.machine.joints if item.hinge_coordinates is None]

    def _counts(self) -> list[str]:
        further = self._further()
        known = [item for item in further if item.rows]
        left = self.joint_coordinates - self.closing_rows - sum(len(item.rows) for item in known)
        terms = [
            _count(self.joint_coordinates, "joint coordinate"),
            _count(self.closing_rows, "closing constraint"),
            *(f"{len(item.rows)} of {item.label}" for item in known[:LISTED_LOOPS]),
        ]
        if (more := len(known) - LISTED_LOOPS) > 0:
            terms.append(f"{sum(len(item.rows) for item in known[LISTED_LOOPS:])} of {more} more")
        lines = [f"{' - '.join(terms)} = {left} by count; mobility(machine) finds dependent constraints"]
        if others := [item.label for item in further if not item.rows]:
            lines.append("not counted: " + few(others))
        if modes := self.machine.n_modes:
            lines.append(f"{_count(modes, 'modal coordinate')} of flexible bodies")
        return lines

    # ---- picture --------------------------------------------------------------------------------

    @check_arguments
    def plot(self, path: str | os.PathLike | None = None, *, title: str | None = None) -> Figure:
        """Draw the tree from the ground at the left outward; dashed lines are the joints that are cut.

        Parameters
        ----------
        path : path_like, optional
            File to write: .png, .pdf, .svg or .jpg.
        title : str, optional
            Title of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure. The number at a hinge is that of its coordinates, the number at a cut joint that of its
            constraints.

        Raises
        ------
        fem.InputError
            The ending of the file is not supported.
        fem.FileError
            The file cannot be written.
        """
        check_file(path, ENDINGS, "a picture")
        from matplotlib.figure import Figure

        places = self._places()
        wide, high = (max(*column, 1.0) for column in zip(*places.values(), strict=True))
        width, height = 1.4 + BODY_WIDTH * wide, 1.4 + LINE_HEIGHT * high
        text = title or (
            f"{_count(self.joint_coordinates, 'joint coordinate')}, {_count(len(self.cut_joints), 'loop')} with "
            f"{_count(self.closing_rows, 'closing constraint')}"
        )
        if further := [item.label for item in self._further()]:
            text += f"\nfurther constraints: {few(further, 4)}"
        part = min(1.0, LARGEST_PICTURE / max(width, height))
        written = TITLE_LETTER * max(len(line) for line in text.splitlines())
        figure = Figure(
            figsize=(max(width * part, written, 5.0), max(height * part, 2.0)), layout="constrained"
        )
        ax = figure.subplots()
        taken = [_middle(places, hinge) for hinge in self.hinges]
        for hinge, middle in zip(self.hinges, taken, strict=True):
            _draw_hinge(ax, places, hinge, middle, 8.5 * part)
        arcs = [_draw_cut(ax, places, cut, taken, 8.5 * part) for cut in self.cut_joints]
        for name, (x, y) in places.items():
            fill = "#e8edf1" if name == "ground" else "white"
            box = {
                "boxstyle": "round,pad=0.45",
                "facecolor": fill,
                "edgecolor": BODY_COLOUR,
                "linewidth": 1.4 * part,
            }
            ax.text(
                x,
                y,
                name,
                ha="center",
                va="center",
                fontsize=10 * part,
                color=BODY_COLOUR,
                bbox=box,
                zorder=4,
            )
        ax.set_xlim(-0.25, wide + 0.25)
        top, bottom = (pick(pick(ys) for ys in ([0.0, high], *arcs)) for pick in (min, max))
        top, bottom = min(-0.9, top - 0.4), max(high + 0.9, bottom + 0.4)
        ax.set_ylim(bottom, top)
        figure.set_figheight(figure.get_figheight() * (bottom - top) / (high + 1.8))
        ax.set_axis_off()
        figure.suptitle(text, fontsize=12, fontweight="bold", x=0.01, ha="left")
        if path is not None:
            with new_file(path) as partial:
                figure.savefig(partial, dpi=130)
        return shown(figure)

    def _places(self) -> Places:
        """Return x (hinges from the ground) and y of each body: leaves on lines of their own, bodies between theirs."""
        rows: dict[str, float] = {}
        outward: dict[str, list[str]] = {}
        for hinge in self.hinges:
            outward.setdefault(hinge.inner, []).append(hinge.outer)
        line = 0
        for hinge in self.hinges:  # branch by branch: leaves from top to bottom
            if hinge.outer not in outward:
                rows[hinge.outer] = float(line)
                line += 1
        for name in [*reversed(self.bodies), "ground"]:
            if name in outward:
                below = [rows[other] for other in outward[name]]
                rows[name] = 0.5 * (min(below) + max(below))
        rows.setdefault("ground", 0.0)
        depths = {"ground": 0, **dict(zip(self.bodies, self.tree.depths.tolist(), strict=True))}
        return {name: (float(depths[name]), rows[name]) for name in ("ground", *self.bodies)}


@check_arguments(own=("machine", "keep", "cut"))
def topology(
    machine: System,
    *,
    keep: Sequence[Joint | str] = (),
    cut: Sequence[Joint | str] = (),
    base: Sequence[Body | str] = (),
) -> Topology:
    """Find the spanning tree of a machine and its loops.

    Parameters
    ----------
    machine : System
        The machine.
    keep : sequence of Joint or str, optional
        Joints that belong to the tree, instead of the choice of the program.
    cut : sequence of Joint or str, optional
        Joints that are cut, instead of the choice of the program.
    base : sequence of Body or str, optional
        Bodies that hang on free joints. Without one, the body in the middle of those that no joint connects to the
        ground.

    Returns
    -------
    Topology
        Tree, loops, Sol's matrices, a report and a picture.

    Raises
    ------
    fem.InputError
        The given joints or bodies do not belong to the machine, or the joints of ``keep`` form a loop.

    Notes
    -----
    The tree has the fewest closing constraints: the joints with the most coordinates are cut. Of several such trees one
    with short paths is chosen, whose loops share few hinges.

    References
    ----------
    E. J. Sol, Kinematics and Dynamics of Multibody Systems, TH Eindhoven, 1983, 4.2 and (4.3.1) to (4.3.8). Hinges are
    directed outward, so that all entries of T are 0 or 1.

    Examples
    --------
    >>> import flexbody as fb
    >>> crank = fb.RigidBody("crank", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), center=(0.1, 0, 0))
    >>> rod = fb.RigidBody("rod", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), center=(0.4, 0, 0))
    >>> slider = fb.RigidBody("slider", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), center=(0.6, 0, 0))
    >>> main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    >>> pin = fb.Spherical("pin", crank, rod, point=(0.2, 0, 0))
    >>> wrist = fb.Universal("wrist", rod, slider, point=(0.6, 0, 0), axes=("y", "z"))
    >>> guide = fb.Prismatic("guide", fb.GROUND, slider, point=(0.6, 0, 0), axis="x")
    >>> print(fb.topology(fb.System([crank, rod, slider], [main, pin, wrist, guide])))
    ground
      crank  (revolute joint 'main', 1 coordinate)
      slider  (prismatic joint 'guide', 1 coordinate)
        rod  (universal joint 'wrist', 2 coordinates)
    loop crank - ground - slider - rod: cut at spherical joint 'pin',
      3 closing constraints (3 of position); the fewest constraints of its loop (3; the others have 4 to 5)
    4 joint coordinates - 3 closing constraints = 1 by count; mobility(machine) finds dependent constraints
    """
    check_system(machine, "topology")
    tree = spanning_tree(
        machine.bodies,
        machine.hinge_joints,
        keep=joint_names(machine, keep, "keep"),
        cut=joint_names(machine, cut, "cut"),
        base=[machine.body(body).name for body in base],
    )
    return Topology(machine, tree.hinges, tree.cut_joints, tree)


def _count(n: int, what: str, plural: str | None = None) -> str:
    return f"{n} {what if n == 1 else plural or what + 's'}"


def _middle(places: Places, hinge: Hinge) -> tuple[float, float]:
    (x1, y1), (x2, y2) = places[hinge.inner], places[hinge.outer]
    return 0.5 * (x1 + x2), 0.5 * (y1 + y2)


def _draw_hinge(ax: Axes, places: Places, hinge: Hinge, middle: tuple[float, float], size: float) -> None:
    (x1, y1), (x2, y2) = places[hinge.inner], places[hinge.outer]
    ax.plot((x1, x2), (y1, y2), color=HINGE_COLOUR, linewidth=1.8, zorder=1)
    name = hinge.joint.name if hinge.joint is not None else "free"
    _label(ax, *middle, f"{name} ({hinge.coordinates})", HINGE_COLOUR, size)


def _draw_cut(
    ax: Axes, places: Places, cut: CutJoint, taken: list[tuple[float, float]], size: float
) -> list[float]:
    """Draw a dashed arc, bent so that it stays away from the other bodies and from the texts in ``taken``.

    Returns
    -------
    list of float
        The vertical places along it.
    """
    inches = np.array((BODY_WIDTH, LINE_HEIGHT))
    start, end = (inches * places[name] for name in (cut.first, cut.second))
    bodies = [place for name, place in places.items() if name not in (cut.first, cut.second)]
    others = inches * np.array([*bodies, *taken]).reshape(-1, 2)
    u = np.linspace(0.0, 1.0, 41)[:, None]

    def curve(bend: float) -> np.ndarray:
        middle = 0.5 * (start + end) + bend * np.array([end[1] - start[1], start[0] - end[0]])
        found: np.ndarray = (1 - u) ** 2 * start + 2 * u * (1 - u) * middle + u**2 * end
        return found

    def clearance(bend: float) -> float:
        apart = np.linalg.norm(curve(bend)[:, None] - others, axis=2)
        return min(float(apart.min(initial=1.0)), DASHED_DISTANCE) - 0.1 * abs(bend)

    points = curve(max((0.15, -0.15, 0.3, -0.3, 0.5, -0.5, 0.8, -0.8), key=clearance)) / inches
    ax.plot(*points.T, color=CUT_COLOUR, linewidth=1.6, linestyle=(0, (5, 3)), zorder=2)
    taken.append((float(points[20, 0]), float(points[20, 1])))
    _label(ax, *taken[-1], f"{cut.joint.name} ({cut.rows})", CUT_COLOUR, size)
    return [float(y) for y in points[:, 1]]


def _label(ax: Axes, x: float, y: float, text: str, colour: str, size: float) -> None:
    box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    ax.text(x, y, text, ha="center", va="center", fontsize=size, color=colour, bbox=box, zorder=3)
