package traffic

// localSectors is what a warp can have of local memory: 512 KiB a thread (CUDA
// C++ Programming Guide, technical specifications).
const localSectors = warpLanes * (512 << 10) / sectorBytes

// touchedStack is the bytes of a warp's local memory that its accesses have
// touched, lanes interleaved, by page.
type touchedStack [localSectors / pageSectors]*footprintPage

// touch adds the bytes of a cost, from a sector of the warp's own on.
func (w *Warp) touch(c *Cost, base uint64) {
	if w.touched == nil {
		w.touched = new(touchedStack)
	}
	for _, cell := range c.cells {
		sector := (base + cell.Sector) % localSectors
		p := w.touched[sector/pageSectors]
		if p == nil {
			p = new(footprintPage)
			w.touched[sector/pageSectors] = p
		}
		p[sector%pageSectors] |= cell.Bytes
	}
}

// EndWarp counts the local memory that a warp which has ended has touched.
func (n *Counter) EndWarp(w *Warp) {
	if w.touched == nil {
		return
	}
	for _, p := range w.touched {
		if p != nil {
			n.Counts.LocalBytes += p.count()
			*p = footprintPage{}
		}
	}
}
