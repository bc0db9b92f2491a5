"""Pictures, films and plots of a run. Nothing here opens a window or needs a display."""

from .meshes import picture_mesh
from .pictures import animate, picture
from .plots import plot

__all__ = ["animate", "picture", "picture_mesh", "plot"]
