"""The methods the paper compares with, under one roof and with one signature.

Each is a function ``(X, **params)`` that takes a DataFrame or an array and returns a `PeerResult`;
`PEERS` has them all by name.
"""

from pywbms.peers._table import PeerResult
from pywbms.peers.bms import bms
from pywbms.peers.dpmeans import dpmeans
from pywbms.peers.ewdp import ewdp
from pywbms.peers.mean_shift import mean_shift
from pywbms.peers.rcc import rcc

PEERS = {
    "dpmeans": dpmeans,
    "ewdp": ewdp,
    "rcc": rcc,
    "mean_shift": mean_shift,
    "bms": bms,
}

__all__ = [
    "PEERS",
    "PeerResult",
    "bms",
    "dpmeans",
    "ewdp",
    "mean_shift",
    "rcc",
]
