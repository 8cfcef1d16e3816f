package cache

import (
	"testing"

	"hyptx/internal/traffic/stream"
)

// TestCyclicScan is fact 14 of the notes on scale-model simulation: 1000 lines
// scanned ten times.
func TestCyclicScan(t *testing.T) {
	for _, c := range []struct{ lines, misses int }{{1000, 1000}, {999, 10_000}, {500, 10_000}} {
		var reqs []refRequest
		for range 10 {
			for line := range uint64(1000) {
				reqs = append(reqs, refRequest{kind: stream.Load, sectors: []uint64{4 * line}})
			}
		}
		ctas := []refCTA{{reqs}}
		l2 := launch(t, newModel(t, one(c.lines)), Launch{CTAsPerSM: 1}, ctas)
		if got := l2.L2.ReadMisses; got != uint64(c.misses) || l2.DRAMReadSectors != got || l2.L2.ReadHits != 10_000-got {
			t.Errorf("L2 of %d lines: %d misses, %d DRAM sectors, %d hits; want %d misses", c.lines, got, l2.DRAMReadSectors, l2.L2.ReadHits, c.misses)
		}
		l1 := launch(t, newModel(t, one(4000)), Launch{1, Level{int64(c.lines) * 128, c.lines, 128, 32}}, ctas)
		if got := l1.L1.ReadMisses; got != uint64(c.misses) || l1.L2.ReadMisses != 1000 {
			t.Errorf("L1 of %d lines: %d misses, %d of the L2; want %d, 1000", c.lines, got, l1.L2.ReadMisses, c.misses)
		}
	}
}

// TestMatrixProduct: a tiled product of 1024 x 1024 floats reads each matrix
// from DRAM once if the L2 holds all (fact 15 of the notes on scale-model
// simulation: 393 216 sectors of three matrices), and more if it does not.
func TestMatrixProduct(t *testing.T) {
	const n, tile, matrix = 1024, 32, 1024 * 1024 * 4 / 32
	var ctas []refCTA
	for cta := range uint64(n / tile * n / tile) {
		row, column := cta/(n/tile)*tile, cta%(n/tile)*tile
		warps := make(refCTA, 8)
		at := func(m, r, c uint64) []uint64 { // a row of a tile
			s := m*matrix + (r*n+c)/8
			return []uint64{s, s + 1, s + 2, s + 3}
		}
		for k := uint64(0); k < n; k += tile {
			for i := range uint64(tile) {
				warps[i%8] = append(warps[i%8], refRequest{kind: stream.Load, sectors: at(0, row+i, k)}, refRequest{kind: stream.Load, sectors: at(1, k+i, column)})
			}
		}
		for i := range uint64(tile) {
			warps[i%8] = append(warps[i%8], refRequest{kind: stream.Store, sectors: at(2, row+i, column)})
		}
		ctas = append(ctas, warps)
	}
	for _, c := range []struct {
		size int64
		cold bool
	}{{16 << 20, true}, {4 << 20, false}} {
		m := newModel(t, Config{SMs: 80, Channels: 32, L2: Level{c.size, 16, 128, 32}})
		got := launch(t, m, Launch{2, Level{64 << 10, 128, 128, 32}}, ctas)
		end := m.Flush().DRAMFlushSectors
		if got.DRAMWriteSectors+end != matrix || got.L2.WriteMisses != matrix {
			t.Errorf("L2 of %d bytes: %d + %d sectors written, want %d", c.size, got.DRAMWriteSectors, end, matrix)
		}
		if cold := got.DRAMReadSectors == 2*matrix; cold != c.cold || got.DRAMReadSectors < 2*matrix {
			t.Errorf("L2 of %d bytes: %d sectors read; %d are cold", c.size, got.DRAMReadSectors, 2*matrix)
		}
		if reads := got.L1.Reads(); reads != 32*32*32*64*4 {
			t.Errorf("%d sectors read by warps", reads)
		}
	}
}
