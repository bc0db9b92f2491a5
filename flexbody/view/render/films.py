"""Film files, written by the ffmpeg that imageio-ffmpeg brings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from fem.common.errors import FileError, InputError, called

from ...rotation import finite

#: endings, and what ffmpeg is told for each
FILMS = {
    ".mp4": ("libx264", ["-crf", "17", "-preset", "veryfast", "-movflags", "+faststart"]),
    ".gif": (
        "gif",
        ["-vf", "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=bayer:bayer_scale=4"],
    ),
}


def check(path: Path, fps: float, others: tuple[str, ...] = ()) -> None:
    """Raise InputError if no film can be written to ``path`` or at this rate; ``others``: endings beside a film's."""
    if path.suffix.lower() not in (*FILMS, *others):
        raise InputError(f"can't write a film to {path}: the ending must be {' or '.join((*FILMS, *others))}")
    if not (finite(fps) and 0 < fps <= 240):
        raise InputError(f"fps: {called(fps)} frames per second make no film; give a number from 1 to 240")


@contextmanager
def writer(path: Path, size: tuple[int, int], fps: float) -> Iterator[Callable[[np.ndarray], None]]:
    """Open a film for writing; yields a function that takes one frame (height, width, 3), bytes."""
    import imageio_ffmpeg

    codec, settings = FILMS[path.suffix.lower()]
    width, height = (n // 2 * 2 for n in size)  # the codec takes even sizes only
    stream = imageio_ffmpeg.write_frames(
        str(path),
        (width, height),
        fps=fps,
        codec=codec,
        pix_fmt_out="pal8" if codec == "gif" else "yuv420p",
        quality=None,  # stated in the settings
        macro_block_size=1,
        output_params=settings,
        ffmpeg_log_level="error",
    )
    stream.send(None)

    def write(image: np.ndarray) -> None:
        try:
            stream.send(np.ascontiguousarray(image[:height, :width]))
        except OSError as error:
            raise FileError(f"ffmpeg could not write the film {path.name}: {error}") from None

    try:
        yield write
    finally:
        stream.close()
    if path.stat().st_size == 0:
        raise FileError("ffmpeg wrote nothing: is the disk full?")
