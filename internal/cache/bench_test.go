package cache

import (
	"math/rand/v2"
	"testing"
)

// volta is about a V100: 80 SMs, an L1 of 4 sets, an L2 of 6 MiB.
var volta = Config{SMs: 80, Channels: 32, L2: Level{6 << 20, 16, 128, 32}}

// BenchmarkL1Hit reads lines that are there, one block an access, in random
// order.
func BenchmarkL1Hit(b *testing.B) { benchmarkL1(b, 512, 0) }

// BenchmarkL1Miss reads new lines, each of which replaces another.
func BenchmarkL1Miss(b *testing.B) { benchmarkL1(b, 512, 1) }

func benchmarkL1(b *testing.B, span, step uint64) {
	var c l1
	c.init(Level{128 << 10, 256, 128, 32}, NoAllocate)
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]uint64, 1<<16)
	for i := range words {
		words[i] = r.Uint64N(span)<<wordShift | 15
	}
	i := uint64(0)
	for b.Loop() {
		c.access(words[i%uint64(len(words))] + step*(i<<(wordShift+10)))
		i++
	}
}

// BenchmarkL2Miss reads lines of 24 MiB in random order: three of four miss.
func BenchmarkL2Miss(b *testing.B) {
	var c l2
	c.init(volta.L2, volta.Channels)
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]uint64, 1<<16)
	for i := range words {
		words[i] = r.Uint64N(24<<20/128)<<wordShift | 15
	}
	i := uint64(0)
	for b.Loop() {
		c.access(words[i%uint64(len(words))] ^ i>>16<<wordShift)
		i++
	}
}

// BenchmarkStream is a whole launch, 1280 CTAs of 8 warps that each read a
// line and then 15 that the SM's other warps read too.
func BenchmarkStream(b *testing.B) {
	m := newModel(b, volta)
	requests := 0
	for b.Loop() {
		if err := m.Begin(Launch{8, Level{96 << 10, 192, 128, 32}}); err != nil {
			b.Fatal(err)
		}
		requests = 0
		for cta := range uint64(1280) {
			c := m.NewCTA()
			for w := range 8 {
				for i := range uint64(16) {
					line := cta<<8 + uint64(w)
					if i > 0 {
						line = 1<<30 + (cta>>3)<<4 + i
					}
					c.Add(w, Load, Runs{Words: []uint64{Run(4*line, 4)}})
					requests++
				}
			}
			if err := m.Push(c); err != nil {
				b.Fatal(err)
			}
		}
		m.Drain()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*requests), "ns/request")
}

// BenchmarkLoadMiss reads requests of 32 new lines, which replace others.
func BenchmarkLoadMiss(b *testing.B) { benchmarkLoad(b, 1<<40) }

// BenchmarkLoadAgain reads the same requests of 32 lines again.
func BenchmarkLoadAgain(b *testing.B) { benchmarkLoad(b, 16) }

func benchmarkLoad(b *testing.B, period uint64) {
	var s sm
	s.l1.init(Level{128 << 10, 256, 128, 32}, NoAllocate)
	var sh shapes
	sh.reset()
	sh.most = 1 << 20
	s.l1.lines.recent.shapes = &sh
	var runs []uint64
	for k := range uint64(32) {
		runs = append(runs, Run(k*68, 1))
	}
	n, _ := sh.find(Runs{Words: runs}, 0)
	i := uint64(0)
	for b.Loop() {
		s.load((i%period*100)<<wordShift, uint32(n), &sh)
		s.queue = s.queue[:0]
		i++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*32), "ns/line")
}
