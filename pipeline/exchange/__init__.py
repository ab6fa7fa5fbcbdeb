"""Text that leaves the catalog for pull requests and gateways, and comes back."""
