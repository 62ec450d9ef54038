"""The clustering methods that the paper compares with, with a common signature.

Each is a function ``(X, **params)`` that takes a DataFrame or an array and returns a `PeerResult`;
`PEERS` maps their names to them. `ADAPTERS` has further clusterers, from scikit-learn, in the same
form.
"""

from pywbms.peers._table import PeerResult
from pywbms.peers.adapters import hdbscan, kmeans, sklearn_mean_shift, ward
from pywbms.peers.bms import bms
from pywbms.peers.dpmeans import dpmeans
from pywbms.peers.ewdp import ewdp
from pywbms.peers.gmeans import gmeans
from pywbms.peers.kmeans_gap import kmeans_gap
from pywbms.peers.mean_shift import mean_shift
from pywbms.peers.rcc import rcc
from pywbms.peers.wgmeans import wgmeans

PEERS = {
    "kmeans_gap": kmeans_gap,
    "gmeans": gmeans,
    "wgmeans": wgmeans,
    "dpmeans": dpmeans,
    "ewdp": ewdp,
    "rcc": rcc,
    "mean_shift": mean_shift,
    "bms": bms,
}

ADAPTERS = {
    "hdbscan": hdbscan,
    "sklearn_mean_shift": sklearn_mean_shift,
    "ward": ward,
    "kmeans": kmeans,
}

__all__ = [
    "ADAPTERS",
    "PEERS",
    "PeerResult",
    "bms",
    "dpmeans",
    "ewdp",
    "gmeans",
    "hdbscan",
    "kmeans",
    "kmeans_gap",
    "mean_shift",
    "rcc",
    "sklearn_mean_shift",
    "ward",
    "wgmeans",
]
