package cache

import (
	"math/rand/v2"
	"testing"

	"hyptx/internal/traffic/stream"
)

// volta is about a V100: 80 SMs, an L1 of 4 sets, an L2 of 6 MiB.
var volta = Config{SMs: 80, Channels: 32, L2: Level{6 << 20, 16, 128, 32}}

// block is a load of all of a block.
func block(n uint64) stream.Word { return stream.Word(n<<8 | 1<<7 | 15) }

// BenchmarkL1Hit reads lines that are there, one block an access, in random
// order.
func BenchmarkL1Hit(b *testing.B) { benchmarkL1(b, 512, 0) }

// BenchmarkL1Miss reads new lines, each of which replaces another.
func BenchmarkL1Miss(b *testing.B) { benchmarkL1(b, 512, 1) }

func benchmarkL1(b *testing.B, span, step uint64) {
	var c l1
	c.init(Level{128 << 10, 256, 128, 32}, NoAllocate)
	r := rand.New(rand.NewPCG(1, 2))
	blocks := make([]uint64, 1<<16)
	for i := range blocks {
		blocks[i] = r.Uint64N(span)
	}
	i := uint64(0)
	for b.Loop() {
		c.access(block(blocks[i%uint64(len(blocks))] + step*(i<<10)))
		i++
	}
}

// BenchmarkL2Miss reads lines of 24 MiB in random order: three of four miss.
func BenchmarkL2Miss(b *testing.B) {
	var c l2
	c.init(volta.L2, volta.Channels)
	r := rand.New(rand.NewPCG(1, 2))
	blocks := make([]uint64, 1<<16)
	for i := range blocks {
		blocks[i] = r.Uint64N(24 << 20 / 128)
	}
	i := uint64(0)
	for b.Loop() {
		c.access(block(blocks[i%uint64(len(blocks))] ^ i>>16))
		i++
	}
}

// BenchmarkStream is a whole launch, 1280 CTAs of 8 warps that each read a
// line and then 15 that the SM's other warps read too.
func BenchmarkStream(b *testing.B) {
	m := newModel(b, volta)
	requests := 0
	line := []stream.Cell{{Sector: 0}, {Sector: 1}, {Sector: 2}, {Sector: 3}}
	var forms stream.Forms
	for b.Loop() {
		if err := m.Begin(Launch{8, Level{96 << 10, 192, 128, 32}}); err != nil {
			b.Fatal(err)
		}
		requests = 0
		q := stream.NewQueue(m.Push, inOrder)
		for cta := range uint64(1280) {
			c := q.CTA(int64(cta), 8)
			for w := range 8 {
				for i := range uint64(16) {
					n := cta<<8 + uint64(w)
					if i > 0 {
						n = 1<<30 + (cta>>3)<<4 + i
					}
					if err := c.Add(w, stream.Load, false, 4*n, line, &forms); err != nil {
						b.Fatal(err)
					}
					requests++
				}
			}
			if err := q.Done(c); err != nil {
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
	var cells []stream.Cell
	for k := range uint64(32) {
		cells = append(cells, stream.Cell{Sector: k * 68})
	}
	var request [2]stream.Word
	var shapes stream.View
	q := stream.NewQueue(func(c *stream.CTA) error {
		shapes = c.Shapes
		copy(request[:], c.Warps[0])
		return nil
	}, inOrder)
	c := q.CTA(0, 1)
	add(b, c, 0, stream.Load, 0, cells)
	if err := q.Done(c); err != nil {
		b.Fatal(err)
	}
	s.l1.lines.recent.shapes = &shapes
	i := uint64(0)
	for b.Loop() {
		s.load(block(i%period*100)&^0xff, uint32(request[1]), &shapes)
		s.queue = s.queue[:0]
		i++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*32), "ns/line")
}
