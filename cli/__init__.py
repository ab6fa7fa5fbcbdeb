"""The commands: the only code that prints or reads the environment."""
