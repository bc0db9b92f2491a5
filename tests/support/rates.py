"""How fast errors become smaller."""

import numpy as np


def rate(counts, errors):
    """Order of errors in the size of the elements, fitted over meshes with ``counts`` of them along a side."""
    return -np.polyfit(np.log(counts), np.log(np.abs(errors)), 1)[0]
