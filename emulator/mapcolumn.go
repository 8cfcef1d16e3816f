package emulator

import (
	"hyptx/internal/order"
	"hyptx/internal/tensormap"
)

// Copies with .im2col::w and .im2col::w::128 (PTX ISA 5.5.5) move pixels of one row of each
// image, and a halo behind them: with ::128 always 128 pixels, with a halo behind each 32.

const (
	pixelsWide, everyWide = 128, 32
	mostOffset            = 32
)

// column moves such pixels; a copy without offsets has no halo.
func (a *asyncWork) column(t *mapCopy, at [tensormap.Rank]int64, v *mapMove) {
	run := tensormap.Wide{Pixels: int64(v.m.Pixels), Every: max(int64(v.m.Pixels), 1)}
	mostHalo := int64(512)
	if t.every > 0 {
		run.Pixels, run.Every, mostHalo = pixelsWide, t.every, everyWide
	}
	if len(t.offsets) > 0 {
		run.Halo, run.Offset = int64(a.w.slot(t.offsets[0])[a.lane]&0xffff), int64(a.w.slot(t.offsets[1])[a.lane]&0xffff)
	}
	if run.Halo >= mostHalo || run.Offset >= mostOffset {
		a.w.fail(a.in, 1<<a.lane, "a halo of %d pixels and an offset of %d; they are less than %d and %d", run.Halo, run.Offset, mostHalo, mostOffset)
	}
	run.Column(v.m, at, func(r tensormap.Row, sure bool) {
		v.open = !sure
		v.row(r)
	})
}

// doubt says that the manual leaves open what the work is about to write.
func (a *asyncWork) doubt() {
	if a.follow {
		a.value.Add(1<<a.lane, order.Undefined, a.w.worker.launch.log.Note(order.Open, uint32(a.in.pc)))
	}
}
