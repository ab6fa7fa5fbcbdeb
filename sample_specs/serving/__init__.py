"""What `sample_specs.server` answers with: one small, unchanging company over three protocols."""
