"""What makes the data files of the package; not part of it."""
