"""The command line: ``main`` dispatches, one file per command, each imported when it is named."""
