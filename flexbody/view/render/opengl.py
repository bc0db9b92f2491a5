"""The renderer for computers with OpenGL on a graphics processor, with or without a display: pyvista, off-screen."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np

from ..geometry.camera import Camera
from ..geometry.poses import Poses
from ..geometry.shading import LIGHT, SHININESS, SPECULAR, Painter

logger = logging.getLogger("flexbody.view")

_PROBE = """
import sys
import vtkmodules.vtkRenderingOpenGL2
from vtkmodules.vtkRenderingCore import vtkRenderWindow
window = vtkRenderWindow()
window.SetOffScreenRendering(1)
window.SetSize(8, 8)
window.Render()
print(window.ReportCapabilities())
sys.exit(0 if window.SupportsOpenGL() else 1)
"""
#: Names of drivers that emulate OpenGL on the CPU; our own renderer is faster than these.
EMULATING_DRIVERS = (
    "llvmpipe",
    "softpipe",
    "swrast",
    "software rasterizer",
    "swiftshader",
    "gdi generic",
    "basic render",
)


def available() -> bool:
    """Return whether VTK can draw on this computer."""
    return _capabilities() is not None


def accelerated() -> bool:
    """Return whether VTK can draw on a graphics processor of this computer."""
    if not available():
        return False
    told = (_capabilities() or "").lower()
    return not any(name in told for name in EMULATING_DRIVERS)


@cache
def _capabilities() -> str | None:
    """Return the OpenGL capabilities that VTK reports, or None without OpenGL.

    The test runs once in a process of its own, because VTK ends the process if there is no OpenGL at all.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROBE],
            capture_output=True,
            timeout=60,
            encoding="utf-8",
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        logger.info("no OpenGL here; pictures are drawn by flexbody's own renderer")
        return None
    return done.stdout


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress messages of VTK on standard error about a missing display."""
    from vtkmodules.vtkCommonCore import vtkLogger

    before = vtkLogger.GetCurrentVerbosityCutoff()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    try:
        yield
    finally:
        vtkLogger.SetStderrVerbosity(before)


class OpenGLRenderer:
    """Draws parts with pyvista; ``size`` is width and height in pixels."""

    def __init__(self, painters: list[Painter], camera: Camera, size: tuple[int, int]) -> None:
        import pyvista as pv

        self._painters = painters
        with _quiet():
            self._build(pv, painters, size)
        self._aim(camera)

    def _build(self, pv, painters: list[Painter], size: tuple[int, int]) -> None:
        self._plotter = plotter = pv.Plotter(off_screen=True, window_size=size, lighting="none")
        plotter.set_background("white")
        plotter.enable_anti_aliasing("msaa", multi_samples=8)
        self._surfaces, self._edges = [], []
        for painter in painters:
            surface = painter.part.surface
            n = len(surface.source)
            self._edges.append(self._lines(pv, surface, n))
            if not len(surface.triangles):
                self._surfaces.append(None)
                continue
            mesh = pv.PolyData(np.zeros((n, 3)), faces=np.insert(surface.triangles, 0, 3, axis=1).ravel())
            mesh.point_data["colour"] = np.zeros((n, 3), dtype=np.uint8)
            mesh.point_data["Normals"] = np.zeros((n, 3))
            mesh.point_data.active_normals_name = "Normals"
            actor = plotter.add_mesh(
                mesh,
                scalars="colour",
                rgb=True,
                smooth_shading=False,  # the normals are given
                interpolation="Phong",
                ambient=painter.light[0],
                diffuse=painter.light[1],
                specular=SPECULAR,
                specular_power=SHININESS,
                reset_camera=False,
            )
            actor.mapper.SetResolveCoincidentTopologyToPolygonOffset()  # lines are drawn in front of their surface
            actor.mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(1.0, 1.0)
            self._surfaces.append(mesh)

    def _lines(self, pv, surface, n: int):
        """Add the lines of a surface."""
        if not len(surface.edges):
            return None
        lines = pv.PolyData(np.zeros((n, 3)), lines=np.insert(surface.edges, 0, 2, axis=1).ravel())
        self._plotter.add_mesh(lines, color=surface.ink, line_width=1.2, lighting=False, reset_camera=False)
        return lines

    def _aim(self, camera: Camera) -> None:
        import pyvista as pv

        reach = 20 * camera.height
        view = self._plotter.camera
        view.parallel_projection = True
        view.focal_point = camera.center
        view.position = camera.center - reach * camera.forward
        view.up = camera.up
        view.parallel_scale = camera.height / 2
        view.clipping_range = (reach * 0.5, reach * 1.5)
        light = pv.Light(light_type="camera light", intensity=1.0)
        light.positional = False
        light.position = tuple(LIGHT)  # in the base of the camera, directed to the scene at its origin
        light.focal_point = (0.0, 0.0, 0.0)
        self._plotter.add_light(light)

    def image(self, poses: Poses) -> np.ndarray:
        """Return the picture at these poses, (height, width, 3) bytes."""
        for painter, mesh, lines in zip(self._painters, self._surfaces, self._edges, strict=True):
            look = painter.look(poses)
            if mesh is not None:
                mesh.points = look.points
                mesh.point_data["Normals"] = look.normals
                mesh.point_data["colour"] = (look.colour * 255).astype(np.uint8)
            if lines is not None:
                lines.points = look.points
        with _quiet():
            self._plotter.render()
        return np.asarray(self._plotter.screenshot(return_img=True))[:, :, :3]

    def close(self) -> None:
        """Release the plotter."""
        self._plotter.close()
