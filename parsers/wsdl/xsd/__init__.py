"""XML Schema read as JSON Schema."""
