"""The commands behind ``pywbms``: one module per command, and what the commands share.

`arguments` has the command-line options, `features` the columns to cluster on, `fitting` a fit
with progress, `files` tables on disk, `reading` and `excel` how they are read, `cells` what is no
number in them, `labels` what is written, `spreadsheet` texts that look like formulas, `report`
results as text and JSON, `output` what is printed.
"""
