"""The numerical core: each function does one step on the arrays handed to it.

Arrays marked IN are read only, arrays marked OUT are written by the callee and belong to the
caller. Every result is the same to the bit for any number of threads: each thread works on whole
tiles of rows or columns, and each tile is summed in one fixed order.
"""
