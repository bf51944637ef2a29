"""history/wires."""
