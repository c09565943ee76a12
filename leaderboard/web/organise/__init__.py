"""The pages of a task's organisers, one blueprint a noun."""
