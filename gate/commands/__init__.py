"""One verb a file: `main(options) -> exit code`."""
