"""stream/wires."""
