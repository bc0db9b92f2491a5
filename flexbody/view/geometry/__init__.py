"""Shapes, poses, colours and cameras of pictures."""
