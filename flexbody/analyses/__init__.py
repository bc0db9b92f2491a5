"""What is done with a machine: one verb a file."""
