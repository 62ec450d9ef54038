"""How fast pywbms is: ``python -m benchmarks``, see README.md beside this file."""
