"""One file for nested plain values and arrays: checked in full when read, replaced as a whole.

A container is

    magic            8 bytes, the same in every version
    length           8 bytes, of the header
    header           JSON: what kind of file, versions, the content, and the arrays that follow
    checksum         32 bytes, SHA-256 of all bytes so far
    array, checksum  for each array: a section in NumPy's npy format, and SHA-256 of its bytes

In the content, an array is ``{"array": number}`` and a dict ``{"dict": {…}}``. Reading builds
dicts, lists, numbers, strings and arrays of numbers, and nothing else: no code is executed.

A file is written beside its place, brought to the disk, and renamed: at any moment there is a whole
one. It is written with plain writes, so that a full disk is an OSError.
"""

import hashlib
import io
import json
import math
import os
import uuid
from collections.abc import Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from pywbms._version import __version__

MAGIC = b"\x93pywbms\n"
LENGTH = 8
CHECKSUM = 32
# Kinds of dtypes that are written: booleans, integers and floats.
NUMBERS = "biuf"
# Bytes that are read at a time, and arrays above which the file itself serves as memory.
AT_A_TIME = 1 << 20
LARGE = 64_000_000


@dataclass(frozen=True)
class Blocks:
    """A matrix that is written block by block, as it need not fit into memory.

    Attributes
    ----------
    shape : (n, p)
    rows : iterable of ndarray
        Blocks of its rows, float64.
    """

    shape: tuple
    rows: Iterable[np.ndarray]
    dtype = np.dtype(np.float64)


def write(path, kind, version, content):
    """Write a container, in place of the one that is there.

    Parameters
    ----------
    path : path
    kind : str
        What is in it, as "checkpoint".
    version : int
        Of the content's form.
    content : dict
        Nested dicts, lists, tuples (which become lists), None, booleans, numbers, strings, arrays
        of numbers, and `Blocks`.

    Raises
    ------
    OSError
        If it cannot be written. The file that was there stays, and nothing else is left behind.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "numbers.pywbms")
    >>> write(path, "example", 1, {"name": "x", "values": np.arange(3)})
    >>> read(path, "example", 1)
    {'name': 'x', 'values': array([0, 1, 2])}
    """
    arrays = []
    packed = pack(content, arrays)
    header = {
        "kind": kind,
        "version": version,
        "package": __version__,
        "content": packed,
        "arrays": [described(array) for array in arrays],
    }
    text = json.dumps(header).encode()
    head = MAGIC + len(text).to_bytes(LENGTH, "little") + text
    with replacing(Path(path)) as file:
        file.write(head + hashlib.sha256(head).digest())
        for array in arrays:
            write_section(file, array)


def read(path, kind, version):
    """Return the content of a container.

    Large arrays are read-only and stay in the file.

    Raises
    ------
    ValueError
        If it is no container, of another kind or version, truncated or damaged.
    OSError
        If it cannot be read.
    """
    path = Path(path)
    with path.open("rb") as file:
        header = read_header(file, path, kind, version)
        arrays = [read_section(file, path, about) for about in header["arrays"]]
    try:
        return unpack(header["content"], arrays)
    except (LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: its content makes no sense") from error


# The file as a whole


@contextmanager
def replacing(path):
    """Yield a new file that takes the place of another when it is complete."""
    beside = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.new")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    sync_folder(path.parent)


def remove_leftovers(path):
    """Remove what a process that was killed while it wrote to this path has left behind."""
    path = Path(path)
    for beside in path.parent.glob(f"{path.name}.*.new"):
        beside.unlink(missing_ok=True)


def sync_folder(folder):
    """Bring the name of a new file to the disk; not all file systems can."""
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    with suppress(OSError):
        os.fsync(number)
    os.close(number)


# The header


def pack(value, arrays):
    """Return plain values for JSON; arrays are put into a list and stand there as their number."""
    if isinstance(value, np.ndarray | Blocks):
        if isinstance(value, np.ndarray) and value.dtype.kind not in NUMBERS:
            raise TypeError(f"an array of dtype {value.dtype} cannot be written")
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {"dict": {str(name): pack(one, arrays) for name, one in value.items()}}
    if isinstance(value, list | tuple):
        return [pack(one, arrays) for one in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} cannot be written")


def unpack(value, arrays):
    """Return what `pack` was given."""
    if isinstance(value, list):
        return [unpack(one, arrays) for one in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]]
    return {name: unpack(one, arrays) for name, one in value["dict"].items()}


def plain(value):
    """Return values as they are after they have been written and read.

    Examples
    --------
    >>> plain({"init": (1, np.float64(2)), "h": 0.1})
    {'init': [1, 2.0], 'h': 0.1}
    """
    return unpack(pack(value, []), [])


def read_header(file, path, kind, version):
    """Return the header, after all checks."""
    start = file.read(len(MAGIC) + LENGTH)
    if not start.startswith(MAGIC):
        raise ValueError(f"{path} was not written by pywbms")
    length = int.from_bytes(start[len(MAGIC) :], "little")
    size = os.fstat(file.fileno()).st_size
    if len(start) + length + CHECKSUM > size:
        raise truncated(path)
    text = file.read(length)
    if hashlib.sha256(start + text).digest() != file.read(CHECKSUM):
        raise ValueError(f"{path} is damaged: the checksum of its header does not match")
    try:
        header = json.loads(text)
        found, arrays, package = (header[name] for name in ("kind", "arrays", "package"))
        found_version, _ = header["version"], header["content"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: its header makes no sense") from error
    if found != kind:
        raise ValueError(f"{path} is not a {kind}, but a file of kind {found!r}")
    if found_version != version:
        raise ValueError(
            f"{path} is a {kind} of format {found_version}, written by pywbms {package}; "
            f"this is pywbms {__version__}, which reads format {version}"
        )
    require_size(path, size - file.tell(), arrays)
    return header


def require_size(path, size, arrays):
    """Raise a ValueError unless the arrays of a file are numbers, and fill the rest of it."""
    try:
        for about in arrays:
            dtype, shape = np.dtype(str(about["dtype"])), about["shape"]
            sound = dtype.kind in NUMBERS and dtype.isnative
            sound &= all(type(n) is int and n >= 0 for n in [*shape, about["bytes"]])
            if not sound or math.prod(shape) * dtype.itemsize > about["bytes"]:
                raise ValueError("no array of numbers of this machine")
        expected = sum(about["bytes"] + CHECKSUM for about in arrays)
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: its header does not describe its arrays") from error
    if size < expected:
        raise truncated(path)
    if size > expected:
        raise ValueError(f"{path} is damaged: something follows its end")


def truncated(path):
    """Return the error for a file that ends too early."""
    return ValueError(f"{path} is truncated")


# The arrays


def npy_header(array):
    """Return the bytes with which an array begins in the npy format."""
    head = io.BytesIO()
    about = {
        "descr": npy.dtype_to_descr(array.dtype),
        "fortran_order": False,
        "shape": array.shape,
    }
    npy.write_array_header_1_0(head, about)
    return head.getvalue()


def described(array):
    """Return the type and the shape of an array, and the bytes that it takes."""
    size = math.prod(array.shape) * array.dtype.itemsize
    return {
        "dtype": npy.dtype_to_descr(array.dtype),
        "shape": list(array.shape),
        "bytes": len(npy_header(array)) + size,
    }


def write_section(file, array):
    """Write an array and its checksum."""
    head = npy_header(array)
    checksum = hashlib.sha256(head)
    file.write(head)
    size = 0
    for block in array.rows if isinstance(array, Blocks) else [array]:
        data = np.ascontiguousarray(block, array.dtype).reshape(-1).view(np.uint8).data
        checksum.update(data)
        file.write(data)
        size += len(data)
    if size != math.prod(array.shape) * array.dtype.itemsize:
        raise ValueError(f"the blocks do not make up an array of shape {array.shape}")
    file.write(checksum.digest())


def read_section(file, path, about):
    """Return an array whose checksum matches."""
    dtype, shape = np.dtype(about["dtype"]), tuple(about["shape"])
    size = math.prod(shape) * dtype.itemsize
    checksum = hashlib.sha256(file.read(about["bytes"] - size))
    start = file.tell()
    data = None if size > LARGE else bytearray(size)
    for first in range(0, size, AT_A_TIME):
        part = file.read(min(AT_A_TIME, size - first))
        checksum.update(part)
        if data is not None:
            data[first : first + len(part)] = part
    if checksum.digest() != file.read(CHECKSUM):
        raise ValueError(f"{path} is damaged: the checksum of an array does not match")
    if data is None:
        end = file.tell()
        array = np.memmap(file, dtype, "r", start, shape)
        file.seek(end)  # which it has moved
        return array
    return np.frombuffer(data, dtype).reshape(shape)
