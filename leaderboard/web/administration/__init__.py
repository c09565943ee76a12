"""The pages of the site's administrators."""
