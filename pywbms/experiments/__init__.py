"""The paper's figures and tables, computed anew: one module each, `pywbms reproduce NAME`.

An experiment is a list of cells (a data set, a method, a seed) for a full, a quick and a tiny
form, a function that turns the rows of all cells into tables and sentences, and one that draws
them. Cells are computed side by side and kept as they finish.
"""
