"""Benchmarks of pywbms: ``python -m benchmarks``, see README.md in this folder."""
