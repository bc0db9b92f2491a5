"""Pictures, films and plots of a run. Nothing here opens a window or needs a display."""

from .displayed import Film, Picture
from .meshes import animate_mode, picture_mesh
from .pictures import animate, picture
from .plots.histories import plot
from .plots.stress_plot import plot_stress

__all__ = ["Film", "Picture", "animate", "animate_mode", "picture", "picture_mesh", "plot", "plot_stress"]
