"""The colours of curves in all plots."""

#: of the first curve, the second and so on
COLOURS = ("#2a6f97", "#cf4a3f", "#5a8f5c", "#7a4f8b", "#d08c2e", "#4d5a66", "#3aa0a0", "#a0527d")
