"""stream/framing."""
