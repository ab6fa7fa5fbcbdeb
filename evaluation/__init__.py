"""How often the right tool is found: suites of cases, and the usual measures over them."""
