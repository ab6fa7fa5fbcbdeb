"""Recorded traffic of several forms, as exchanges of a request and its response."""
