package emulator

import (
	"errors"

	"hyptx/emulator/internal/pages"
)

// CTAs run side by side where it is proven that none can see what another writes.
// Mostly it is only likely: a layer of a network reads one part of a large buffer
// and writes another, and the addresses tell which. Then the CTAs run side by
// side all the same, but what each worker writes it keeps to itself, in copies of
// the pages (pages.Table.View), and which bytes it read and wrote is counted
// beside it, as it is for the memory block. When all have ended the workers are
// compared. If none touched what another wrote, each CTA has seen exactly what it
// would have seen if all had run in order, and what was written is put together.
// Otherwise everything is forgotten, and the CTAs run in order, on one worker: a
// program pays for its conflicts, not for those that it might have had.
//
// Conflicts between CTAs of one worker are none: it runs them in order, on one
// view. So outputs and counts do not depend on the number of workers.

// errConflict says that CTAs side by side touched what others wrote.
var errConflict = errors.New("CTAs touch what others write")

// view returns the worker's view of a buffer.
func (wk *worker) view(b *Buffer) *Buffer {
	v := wk.views[b]
	if v == nil {
		v = &Buffer{Name: b.Name, Base: b.Base, Bytes: b.Bytes, table: b.table.View(), mem: b.mem}
		wk.views[b] = v
	}
	return v
}

// dropViews gives back what the worker has written.
func (wk *worker) dropViews() {
	for _, v := range wk.views {
		v.table.Drop()
	}
	wk.views = nil
}

// settle puts together what workers have written each by itself, or says that
// they were in conflict.
func settle(workers []*worker) error {
	for i, a := range workers {
		for _, b := range workers[i+1:] {
			if a.counting.conflicts(b.counting) {
				return errConflict
			}
		}
	}
	for _, wk := range workers {
		for b, v := range wk.views {
			wk.counting.writes.Each(b.Base, b.Bytes, func(off, n uint64) {
				if own := v.table.Owned(off); own != nil {
					copy(b.table.At(off)[off&pages.Mask:][:n], own[off&pages.Mask:][:n])
				}
			})
		}
	}
	return nil
}

// conflicts reports whether one of two workers touched what the other wrote.
func (c *counting) conflicts(d *counting) bool {
	return c.opaque || d.opaque || c.Ambiguous() || d.Ambiguous() || c.writes.Meets(d.writes) || c.writes.Meets(d.footprint) || c.footprint.Meets(d.writes)
}
