"""The values of the house: what a spec, an operation and a tool are. No input, no output."""
