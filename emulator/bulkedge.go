package emulator

import "hyptx/ir/isa"

// With .ignore_oob up to 15 bytes at either end of what is copied may lie outside of all
// memory; what the destination has of them is any value (PTX ISA 9.7.10.28.4.1), here zero
// with an origin that says so.

// copyWithin copies size bytes but for those at the ends that may not be there.
func (a *asyncWork) copyWithin(b *bulk, dst, src, size uint64) {
	left, right := uint64(a.w.slot(b.left)[a.lane]), uint64(a.w.slot(b.right)[a.lane])
	if max(left, right) >= chunk {
		a.w.fail(a.in, 1<<a.lane, "%d and %d bytes that may be missing at the ends of a bulk copy; they are less than %d", left, right, chunk)
	}
	if src%chunk != 0 || dst%chunk != 0 {
		a.w.fail(a.in, 1<<a.lane, "a bulk copy from %#x to %#x; both must be multiples of %d", src, dst, chunk)
	}
	for off := uint64(0); off < size; off += chunk {
		first, last := uint64(0), uint64(chunk)
		if off == 0 {
			first = left
		}
		if off+chunk == size {
			last = max(chunk-right, first)
		}
		var piece [chunk]byte
		for i := range uint64(chunk) {
			to := a.old(isa.Shared, dst+off+i, 1)
			if i >= first && i < last {
				copy(piece[i:], a.read(b.srcSpace, src+off+i, 1))
				to[0] = piece[i]
			} else {
				clear(to)
				a.doubt()
			}
			a.wrote(isa.Shared, dst+off+i, 1)
		}
		a.inspect(b.reports, piece[first:last])
	}
}
