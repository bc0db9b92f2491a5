"""Studies: one machine for many values of its parameters, on all cores or on a cluster."""
