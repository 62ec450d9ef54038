"""The commands behind ``pywbms``: one module per command, and what the commands share.

`arguments` has the command-line options, `features` the columns to cluster on, `fitting` a fit
with progress, `files` tables on disk, `report` results as text and JSON, `output` what is printed.
"""
