"""history/rules."""
