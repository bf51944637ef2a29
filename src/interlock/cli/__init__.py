"""The command line: `judge`, `check`, `heal` and `explain`. It holds no decision of its own."""
