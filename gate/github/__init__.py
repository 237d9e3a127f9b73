"""The only module that talks to GitHub's API; what it could not do is a value with a warning."""
