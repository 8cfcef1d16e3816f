package networks

import "slices"

// Launch shapes. Most kernels compute one output a thread, or one a warp, and
// leave the rest to the grid, so that a shape follows from a tensor's size alone. x runs
// along a row of memory, which makes the accesses of a warp contiguous; what does
// not fill a last block is cut off by the kernels' own comparison of the index
// with the size. Small planes get small blocks: a 7 x 7 plane in a block of 256
// threads would be four fifths idle, and the profile would show the launch's
// shape instead of the kernel's work.

// A shape is how a kernel is launched.
type shape struct {
	grid, block        [3]int
	dynamicSharedBytes int
}

// line is one thread an element.
func line(count int) shape {
	return plane(count, 1)
}

// even is line with a block that divides the counts, if a large one does: then no block
// has threads that are left over, nor a seam between two tensors within it.
func even(counts ...int) shape {
	total := 0
	for _, n := range counts {
		total += n
	}
	for block := 256; block >= 96; block -= 32 {
		if !slices.ContainsFunc(counts, func(n int) bool { return n%block != 0 }) {
			return shape{grid: [3]int{total / block, 1, 1}, block: [3]int{block, 1, 1}}
		}
	}
	return line(total)
}

// plane is one thread an element of rows of `area` elements, the row on grid.y.
// A short row gets a short block, in whole warps.
func plane(area, rows int) shape {
	block := min(256, roundUp(area, 32))
	return shape{grid: [3]int{ceilDiv(area, block), rows, 1}, block: [3]int{block, 1, 1}}
}

// volume is one thread an element of t: x and y over the plane, grid.z over the
// channels. A plane that fits gets a block of its own size, which need not be
// whole warps; wide planes get blocks a warp wide.
func volume(t tensor) shape {
	bx, by := 16, 16
	switch {
	case t.width <= 16 && t.height <= 16:
		bx, by = t.width, t.height
	case t.width >= 48:
		bx, by = 32, 8
	}
	return shape{
		grid:  [3]int{ceilDiv(t.width, bx), ceilDiv(t.height, by), t.channels},
		block: [3]int{bx, by, 1},
	}
}

// warps is one warp a row, four rows a block, the row on y.
func warps(rows int) shape {
	return shape{grid: [3]int{1, ceilDiv(rows, 4), 1}, block: [3]int{32, 4, 1}}
}

// trimmed drops the trailing ones, which a manifest may leave out.
func trimmed(v [3]int) []int {
	n := 3
	for n > 1 && v[n-1] == 1 {
		n--
	}
	return v[:n]
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

func roundUp(a, multiple int) int { return ceilDiv(a, multiple) * multiple }
