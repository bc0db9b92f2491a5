"""From a description to the named flat arrays that the compiled core reads."""
