"""The points of a step, packed tile by tile, and the sums that come together for them.

For each tile, and each block of features, there are

    columns   (features, ROW)   the scaled points, transposed
    masses    (TILE, width)     mass × point, and in the first block the mass
    sums      (TILE, width)     Σ kernel × mass × point, and in the first block Σ kernel × mass

They are kept for the whole step if they fit into ROOM_TO_KEEP. Otherwise a tile is packed into a
slot of the thread whenever it is needed, and sums are added to `shifted` at once.
"""

from libc.string cimport memset

from pywbms._core.tiles cimport ROW, TILE, aligned, feature_block, padded, rows_of, simd, tiles_of

# In numbers: 48 MB.
cdef Py_ssize_t ROOM_TO_KEEP = 6_000_000


cdef PackedTiles new_packed_tiles(
    const double[:, ::1] points, const double[::1] mass, const double[::1] root,
    const Py_ssize_t[::1] order, double[:, ::1] shifted,
):
    """Return the tiles of a step, not packed yet; see the attributes of the same name."""
    cdef PackedTiles new = PackedTiles.__new__(PackedTiles)
    new.points, new.mass, new.root, new.order, new.shifted = points, mass, root, order, shifted
    new.g, new.p, new.tiles = points.shape[0], points.shape[1], tiles_of(points.shape[0])
    new.block = feature_block(new.p)
    new.blocks = (new.p + new.block - 1) // new.block
    new.width = padded(new.block + 1)
    new.columns_size, new.sums_size = padded(new.block) * ROW, TILE * new.width
    cdef Py_ssize_t packs = new.tiles * new.blocks, size = new.columns_size + 2 * new.sums_size
    new.kept = packs * size <= ROOM_TO_KEEP
    if new.kept:
        new.packs = aligned(packs, size)
    new.slots_size = 0 if new.kept else 2 * new.columns_size + 2 * new.sums_size
    return new


cdef class PackedTiles:
    """The packed tiles of a step; packed.pxd explains the attributes."""

    cdef Py_ssize_t rows(self, Py_ssize_t tile) noexcept nogil:
        """How many points a tile has."""
        return rows_of(self.g, tile)

    cdef Py_ssize_t features(self, Py_ssize_t b) noexcept nogil:
        """How many features a block has."""
        return min(self.block, self.p - b * self.block)

    cdef void clear(self, Py_ssize_t tile) noexcept nogil:
        """Set the sums of a tile to zero, and pack it if it is to be kept."""
        cdef Py_ssize_t b, r
        if self.kept:
            for b in range(self.blocks):
                self.pack_columns(tile, b, self.columns(tile, b, NULL))
                self.pack_masses(tile, b, self.masses(tile, b, NULL))
                memset(self.sums(tile, b, NULL), 0, self.sums_size * sizeof(double))
        else:
            for r in range(tile * TILE, tile * TILE + self.rows(tile)):
                memset(&self.shifted[self.order[r], 0], 0, self.p * sizeof(double))

    cdef double* columns(self, Py_ssize_t tile, Py_ssize_t b, double* slot) noexcept nogil:
        """The columns of a tile, in the slot unless they are kept."""
        if self.kept:
            return &self.packs[tile * self.blocks + b, 0]
        self.pack_columns(tile, b, slot)
        return slot

    cdef double* masses(self, Py_ssize_t tile, Py_ssize_t b, double* slot) noexcept nogil:
        """The masses of a tile, in the slot unless they are kept."""
        if self.kept:
            return &self.packs[tile * self.blocks + b, self.columns_size]
        self.pack_masses(tile, b, slot)
        return slot

    cdef double* sums(self, Py_ssize_t tile, Py_ssize_t b, double* slot) noexcept nogil:
        """Where the sums of a tile are kept; otherwise the slot, for what is to be added next."""
        if self.kept:
            return &self.packs[tile * self.blocks + b, self.columns_size + self.sums_size]
        return slot

    cdef void add(self, Py_ssize_t tile, Py_ssize_t b, const double* sums) noexcept nogil:
        """Add sums that are not kept to `shifted`."""
        if not self.kept:
            simd.add(
                sums, self.width, &self.order[tile * TILE], self.rows(tile),
                self.features(b), self.p, &self.shifted[0, b * self.block],
            )

    cdef void divide(self, Py_ssize_t tile, const double* total) noexcept nogil:
        """Write where the points of a tile go: their sums divided by the sums of the kernel."""
        cdef Py_ssize_t r, l, b
        cdef double* out
        cdef const double* sums
        for b in range(self.blocks):
            for r in range(self.rows(tile)):
                out = &self.shifted[self.order[tile * TILE + r], b * self.block]
                sums = self.sums(tile, b, NULL) + r * self.width if self.kept else out
                for l in range(self.features(b)):
                    out[l] = sums[l] / total[r]

    cdef void pack_columns(self, Py_ssize_t tile, Py_ssize_t b, double* out) noexcept nogil:
        simd.pack_columns(
            &self.points[0, b * self.block], self.p, &self.order[tile * TILE],
            self.rows(tile), self.features(b), &self.root[b * self.block], ROW, out,
        )

    cdef void pack_masses(self, Py_ssize_t tile, Py_ssize_t b, double* out) noexcept nogil:
        simd.pack_masses(
            &self.points[0, b * self.block], self.p, &self.mass[0], &self.order[tile * TILE],
            self.rows(tile), self.features(b), b == 0, self.width, out,
        )
