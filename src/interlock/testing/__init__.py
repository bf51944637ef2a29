"""For those who build on interlock, or beside it: portable fixtures and their runner."""
