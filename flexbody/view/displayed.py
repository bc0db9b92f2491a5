"""Pictures and films as values, which a notebook displays."""

from __future__ import annotations

import base64
import html
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.files import check_file, new_file

#: File endings of pictures.
PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")
#: What the factor on drawn deformations may be, as messages say it.
SCALE = "a finite number, or None, which makes deformations visible"
#: Largest film that a notebook holds within itself, bytes; of a larger one it shows the path.
LARGEST_SHOWN = 50_000_000


class Picture(np.ndarray):
    """The pixels of a picture, (height, width, 3), bytes; a notebook displays it.

    It is an array of NumPy. A part of it, and what is computed from it, are ordinary arrays.

    Parameters
    ----------
    pixels : array_like
        Red, green and blue of each pixel, (height, width, 3), 0 to 255; the first row is the upper one.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> result = fb.simulate(fb.System([bar]), t_end=0.1, show_progress=False)
    >>> image = fb.picture(result, size=(320, 180))
    >>> image
    <Picture of 320 x 180 pixels>
    >>> image[0, 0].shape
    (3,)
    """

    def __new__(cls, pixels: ArrayLike) -> Picture:
        """Return the picture with these pixels."""
        return np.ascontiguousarray(pixels, dtype=np.uint8).view(cls)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        """Return what a function of NumPy gives as an ordinary array or number."""
        return np.asarray(array)[()] if array.ndim == 0 else np.asarray(array)

    def __repr__(self) -> str:
        if not self._is_whole:
            return repr(np.asarray(self))
        return f"<Picture of {self.shape[1]} x {self.shape[0]} pixels>"

    __str__ = __repr__

    @property
    def _is_whole(self) -> bool:
        """Whether it is still a picture; other shapes and types of numbers are kept by NumPy's own methods."""
        return self.ndim == 3 and self.shape[2] == 3 and self.dtype == np.uint8

    @check_arguments
    def save(self, path: str | os.PathLike) -> Path:
        """Write the picture to a file, which appears when it is complete.

        Parameters
        ----------
        path : path_like
            File to write: .png, .jpg, .jpeg, .tif, .tiff or .bmp.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        fem.InputError
            For another file ending.
        fem.FileError
            If the folder does not exist, or the file can't be written there.
        """
        check_file(path, PICTURE_ENDINGS)
        from PIL import Image

        with new_file(path) as partial:
            Image.fromarray(np.asarray(self)).save(partial)
        return Path(path)

    def _repr_png_(self) -> bytes | None:
        """Return what a notebook displays."""
        if not self._is_whole:
            return None
        from PIL import Image

        content = io.BytesIO()
        Image.fromarray(np.asarray(self)).save(content, format="png")
        return content.getvalue()


class Film(type(Path())):  # type: ignore[misc]  # the class of paths of this operating system
    """The path of a film; a notebook displays the film.

    It is a :class:`pathlib.Path`. The notebook holds a copy of films up to 50 MB, and shows the path of a larger one.

    Parameters
    ----------
    *args : path_like
        Parts of the path, as of :class:`pathlib.Path`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), velocity=(1, 0, 0))
    >>> result = fb.simulate(fb.System([bar]), t_end=1.0, show_progress=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     film = fb.animate(result, Path(folder, "bar.gif"), n_frames=5, size=(160, 90), show_progress=False)
    ...     film.stat().st_size > 0
    True
    """

    def _repr_html_(self) -> str | None:
        """Return what a notebook displays: a video, an animated picture or the page; None without such a file."""
        if not self.is_file() or self.stat().st_size > LARGEST_SHOWN:
            return None
        content, kind = self.read_bytes(), self.suffix.lower()
        if kind == ".html":
            page = html.escape(content.decode("utf-8"))
            return f'<iframe srcdoc="{page}" width="100%" height="540" style="border: 0"></iframe>'
        data = base64.b64encode(content).decode("ascii")
        if kind == ".gif":
            return f'<img src="data:image/gif;base64,{data}">'
        return f'<video controls loop width="100%" src="data:video/mp4;base64,{data}"></video>'
