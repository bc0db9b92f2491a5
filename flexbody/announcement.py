"""What is said before the kernels are compiled: once each, and what is still to come."""

from __future__ import annotations

from collections.abc import Callable

from fem.common.jit import announce_compilation, is_compiled

from .kernels.equations import place

#: processor time (s) that compiling takes: the kernels for positions and velocities, and the time loops beside them
KINEMATICS, LOOP = 100, 60


def announce_kinematics() -> None:
    """Say that the kernels of kinematics will be compiled, if they will."""
    announce_compilation("the kernels of kinematics", place, KINEMATICS)


def announce_loop(loop: Callable) -> None:
    """Say that the dynamics kernels will be compiled, or, where those of kinematics have been, the loop beside them."""
    if is_compiled(place):
        announce_compilation("the time loop of the dynamics", loop, LOOP)
    else:
        announce_compilation("the dynamics kernels", loop, KINEMATICS + LOOP)
