"""What landmarks cost, and how well they agree with the exact fit.

python -m benchmarks.landmarks                        time from 10⁵ to 10⁷ rows × 10, exponent
python -m benchmarks.landmarks --contenders           other methods at the smallest size, too
python -m benchmarks.landmarks --agreement            agreement with the exact fit on ten sets
python -m benchmarks.landmarks --parquet --rows 1e7   from a file: time and peak memory
"""

import argparse
import json
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.contenders import fast_hdbscan, genieclust, hdbscan, minibatch_kmeans
from pywbms import WBMS, wbms

CONTENDERS = {
    "MiniBatchKMeans": minibatch_kmeans, "fast_hdbscan": fast_hdbscan, "genieclust": genieclust,
    "HDBSCAN": hdbscan,
}  # fmt: skip
ROWS_PER_GROUP = 100_000


@dataclass(frozen=True)
class Case:
    """Normal clusters with noise columns; half of the columns tell the clusters apart."""

    n: int
    p: int
    k: int = 8
    apart: float = 4.0
    seed: int = 0

    def draw(self):
        """Return the rows and the truth."""
        rng = np.random.default_rng(self.seed)
        useful = max(1, self.p // 2)
        centers = self.apart * rng.standard_normal((self.k, useful))
        truth = rng.integers(0, self.k, self.n)
        X = rng.standard_normal((self.n, self.p))
        X[:, :useful] += centers[truth]
        return X, truth


def main(args=None):
    """Read the arguments, run, print tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.landmarks")
    parser.add_argument("--rows", type=float, nargs="+", default=[1e5, 1e6, 1e7])
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--h", type=float, default=0.1)
    parser.add_argument("--lam", type=float, default=0.1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--contenders", action="store_true")
    parser.add_argument("--agreement", action="store_true")
    parser.add_argument("--agreement-rows", type=float, default=5e4)
    parser.add_argument("--sets", type=int, default=5, help="of each kind (default 5)")
    parser.add_argument("--parquet", action="store_true")
    parser.add_argument("--out", type=Path, help="folder for landmarks.json")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--quick", action="store_true", help="at most 10⁵ rows")
    form.add_argument("--tiny", action="store_true", help="seconds; the numbers mean nothing")
    args = parser.parse_args(args)
    if args.quick or args.tiny:
        args.rows = [1e3, 2e3] if args.tiny else [2e4, 1e5]
        args.agreement_rows = 1e3 if args.tiny else 5e3
    found = agreements(args) if args.agreement else times(args)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "landmarks.json").write_text(json.dumps(found, indent=1))


def times(args):
    """Print seconds per size, and the exponent between the smallest and the largest."""
    found, landmarks = [], 300 if args.tiny else "auto"
    for n in map(int, args.rows):
        case = Case(n, args.columns)
        fit = from_file if args.parquet else in_memory
        seconds, labels, told = fit(case, args, landmarks)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        truth = truth_of(case, args.parquet)
        own = adjusted_rand_score(truth, labels)
        found.append({"rows": n, "seconds": seconds, "ari": own, "peak_gb": memory})
        print(f"{n:>12,} × {case.p}: {seconds:8.2f} s  ARI {own:.3f}  peak {memory:.2f} GB  {told}")
    if len(found) > 1:
        first, last = found[0], found[-1]
        exponent = np.log(last["seconds"] / first["seconds"]) / np.log(last["rows"] / first["rows"])
        print(f"exponent {exponent:.3f}")
        found.append({"exponent": float(exponent)})
    if args.contenders:
        found += others(Case(int(min(args.rows)), args.columns))
    return found


def in_memory(case, args, landmarks):
    """Return the seconds of a fit of rows in memory, its labels and its words on landmarks."""
    X, _ = case.draw()
    begin = time.perf_counter()
    model = WBMS(args.h, args.lam, landmarks=landmarks, n_jobs=args.jobs).fit(X)
    return time.perf_counter() - begin, model.labels_, model.landmarks_


def from_file(case, args, landmarks):
    """Return the same of a Parquet file, which is written first, a row group at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        path, writer = Path(folder, "big.parquet"), None
        for number, start in enumerate(range(0, case.n, ROWS_PER_GROUP)):
            X, _ = part(case, number, min(ROWS_PER_GROUP, case.n - start))
            table = pa.table({f"x{column}": X[:, column] for column in range(case.p)})
            writer = writer or pq.ParquetWriter(path, table.schema)
            writer.write_table(table)
        writer.close()
        begin = time.perf_counter()
        result = wbms(path, h=args.h, lam=args.lam, landmarks=landmarks, n_jobs=args.jobs)
        seconds = time.perf_counter() - begin
        return seconds, np.concatenate(list(result.label_blocks())), result.landmarks


def part(case, number, n):
    """Return some rows of a case that is too large to be drawn at once."""
    rng = np.random.default_rng([case.seed, number])
    useful = max(1, case.p // 2)
    centers = case.apart * np.random.default_rng(case.seed).standard_normal((case.k, useful))
    truth = rng.integers(0, case.k, n)
    X = rng.standard_normal((n, case.p))
    X[:, :useful] += centers[truth]
    return X, truth


def truth_of(case, in_parts):
    """Return the true clusters of a case."""
    if not in_parts:
        return case.draw()[1]
    sizes = [min(ROWS_PER_GROUP, case.n - start) for start in range(0, case.n, ROWS_PER_GROUP)]
    return np.concatenate([part(case, number, n)[1] for number, n in enumerate(sizes)])


def others(case):
    """Print the seconds that other methods take."""
    found = []
    X, truth = case.draw()
    for name, contender in CONTENDERS.items():
        begin = time.perf_counter()
        try:
            labels = contender.fit(case, X)
        except ImportError as error:
            print(f"{name:>16}: left out ({error})")
            continue
        seconds = time.perf_counter() - begin
        own = adjusted_rand_score(truth, labels)
        found.append({"method": name, "rows": case.n, "seconds": seconds, "ari": own})
        print(f"{name:>16}: {case.n:,} × {case.p}: {seconds:8.2f} s  ARI {own:.3f}")
    return found


def agreements(args):
    """Print the agreement with the exact fit: separated clusters, then overlapping ones."""
    found = []
    n = int(args.agreement_rows)
    for kind, apart in (("separated", 4.0), ("overlapping", 1.5)):
        for seed in range(args.sets):
            X, _ = Case(n, args.columns, apart=apart, seed=seed).draw()
            exact, model = (
                WBMS(args.h, args.lam, landmarks=m, n_jobs=args.jobs).fit(X)
                for m in (None, min(8000, n // 5))
            )
            own = adjusted_rand_score(exact.labels_, model.labels_)
            found.append({"kind": kind, "seed": seed, "agreement": own,
                          "expected": model.landmarks_.agreement})  # fmt: skip
            print(f"{kind:>12} {seed}: agreement {own:.4f}, expected "
                  f"{model.landmarks_.agreement:.4f}, k = {exact.n_clusters_} and "
                  f"{model.n_clusters_}")  # fmt: skip
    return found


if __name__ == "__main__":
    main()
