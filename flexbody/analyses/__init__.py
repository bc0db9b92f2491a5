"""Analyses of a machine: one verb a file."""
