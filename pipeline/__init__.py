"""What needs several layers at once: from sources to the catalog."""
