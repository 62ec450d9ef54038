"""The methods the paper compares with, under one roof and with one signature.

Each is a function ``(X, **params)`` that takes a DataFrame or an array and returns a `PeerResult`;
`PEERS` has them all by name.
"""

from pywbms.peers._table import PeerResult

PEERS = {}

__all__ = ["PEERS", "PeerResult"]
