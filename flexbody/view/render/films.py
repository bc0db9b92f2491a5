"""Film files, written by the ffmpeg of imageio-ffmpeg."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from fem.common.errors import FileError, InputError, called
from fem.common.files import check_place
from fem.common.numbers import is_number

#: File endings, each with codec and options of ffmpeg.
FILM_FORMATS = {
    ".mp4": ("libx264", ["-crf", "17", "-preset", "veryfast", "-movflags", "+faststart"]),
    ".gif": (
        "gif",
        ["-vf", "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=bayer:bayer_scale=4"],
    ),
}


def check(path: Path, fps: float, others: tuple[str, ...] = ()) -> None:
    """Raise an error if a film can't be written to ``path`` or with this frame rate.

    ``others`` are file endings that are permitted too.
    """
    if path.suffix.lower() not in (*FILM_FORMATS, *others):
        raise InputError(
            f"can't write a film to {path}: the ending must be {' or '.join((*FILM_FORMATS, *others))}"
        )
    if not (is_number(fps) and 0 < fps <= 240):
        raise InputError(f"fps is {called(fps)}; give a number of frames per second from 1 to 240")
    check_place(path)


@contextmanager
def writer(path: Path, size: tuple[int, int], fps: float) -> Iterator[Callable[[np.ndarray], None]]:
    """Open a film for writing; yield a function that writes one frame (height, width, 3), bytes."""
    import imageio_ffmpeg

    codec, settings = FILM_FORMATS[path.suffix.lower()]
    width, height = (n // 2 * 2 for n in size)  # the codec needs even sizes
    stream = imageio_ffmpeg.write_frames(
        str(path),
        (width, height),
        fps=fps,
        codec=codec,
        pix_fmt_out="pal8" if codec == "gif" else "yuv420p",
        quality=None,  # given in the settings
        macro_block_size=1,
        output_params=settings,
        ffmpeg_log_level="quiet",  # what fails is told below
    )
    stream.send(None)
    written = 0

    def write(image: np.ndarray) -> None:
        nonlocal written
        written += 1
        try:
            stream.send(np.ascontiguousarray(image[:height, :width]))
        except OSError as error:
            raise FileError(f"ffmpeg can't write this film: {error}") from None

    try:
        yield write
    finally:
        stream.close()
    if (held := _frames(path)) < written:
        raise FileError(f"ffmpeg wrote {held} of {written} frames of this film: is the disk full?")


def _frames(path: Path) -> int:
    """Return how many frames a film has that ffmpeg can read."""
    import imageio_ffmpeg

    try:
        return int(imageio_ffmpeg.count_frames_and_secs(str(path))[0])
    except RuntimeError:  # it is not complete
        return 0
