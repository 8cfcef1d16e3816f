package cache

import (
	"math/rand/v2"
	"strings"
	"testing"

	"hyptx/internal/traffic/stream"
)

// TestNoAllocations: a launch like the one before allocates nothing.
func TestNoAllocations(t *testing.T) {
	m := newModel(t, Config{SMs: 2, Channels: 8, L2: Level{1 << 20, 16, 128, 32}})
	r := rand.New(rand.NewPCG(4, 2))
	cells := []stream.Cell{{Sector: 0, Bytes: 3}, {Sector: 1, Bytes: 5}, {Sector: 2}, {Sector: 3}}
	next := int64(0)
	q := stream.NewQueue(m.Push, inOrder)
	var forms stream.Forms
	run := func() {
		if err := m.Begin(Launch{2, Level{1 << 14, 4, 128, 32}}); err != nil {
			t.Fatal(err)
		}
		for i := range 4096 {
			c := q.CTA(next, 1)
			if err := c.Add(0, stream.Kind(i%5), false, r.Uint64N(1<<16), cells, &forms); err != nil {
				t.Fatal(err)
			}
			if err := q.Done(c); err != nil {
				t.Fatal(err)
			}
			next++
		}
		m.Drain()
	}
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("%v allocations a launch", n)
	}
}

// TestBadConfigs: each mistake has a message of its own.
func TestBadConfigs(t *testing.T) {
	good := Config{SMs: 2, Channels: 2, L2: Level{1 << 20, 16, 128, 32}}
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.SMs = 0 }, "0 SMs: must be 1"},
		{func(c *Config) { c.SMs = 1 << 20 }, "1048576 SMs"},
		{func(c *Config) { c.Channels = -1 }, "-1 DRAM channels"},
		{func(c *Config) { c.L2.SizeBytes = 0 }, "needs an L2"},
		{func(c *Config) { c.L2.SizeBytes = 1<<20 + 128 }, "no multiple of 16 ways x 128"},
		{func(c *Config) { c.L2.SizeBytes = 1 << 40 }, "L2: size"},
		{func(c *Config) { c.L2.SizeBytes = -1 }, "L2: size of -1"},
		{func(c *Config) { c.L2.LineBytes = 256 }, "line of 256 bytes: must be 32, 64 or 128"},
		{func(c *Config) { c.L2.Ways = 0 }, "0 ways"},
		{func(c *Config) { c.L2 = Level{1 << 28, 1 << 21, 128, 32} }, "L2: 2097152 ways: must be 1 to 1048576"},
		{func(c *Config) { c.L2.SectorBytes = 0 }, "sector of 0 bytes"},
		{func(c *Config) { c.L2.SectorBytes = 256 }, "sector of 256 bytes"},
		{func(c *Config) { c.L2.SectorBytes = 64 }, "L2: sector of 64 bytes: must be 32"},
		{func(c *Config) { c.L1Write = 7 }, "write policy 7"},
	} {
		bad := good
		c.change(&bad)
		if _, err := New(bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", bad, err, c.want)
		}
	}
	m := newModel(t, good)
	for _, c := range []struct {
		launch Launch
		want   string
	}{
		{Launch{0, Level{}}, "0 CTAs an SM"},
		{Launch{1, Level{1000, 2, 128, 32}}, "L1: size of 1000 bytes is no multiple"},
		{Launch{1, Level{1 << 33, 1, 128, 32}}, "L1: 134217728 lines in 2 SMs"},
	} {
		if err := m.Begin(c.launch); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.launch, err, c.want)
		}
	}
}

// TestStreamLimit: CTAs that are resident must not hold more than there is room
// for.
func TestStreamLimit(t *testing.T) {
	m := newModel(t, Config{SMs: 1, Channels: 1, L2: Level{1 << 10, 1, 128, 32}, MaxStreamBytes: 16})
	if err := m.Begin(Launch{CTAsPerSM: 1}); err != nil {
		t.Fatal(err)
	}
	q := stream.NewQueue(m.Push, inOrder)
	c := q.CTA(0, 1)
	for range 3 {
		add(t, c, 0, stream.Load, 0, []stream.Cell{{}})
	}
	if err := q.Done(c); err == nil || !strings.Contains(err.Error(), "more than 16 bytes, which is the limit") {
		t.Error(err)
	}
}

// TestLoadsPastL1: on a GPU whose loads of global memory pass the L1 by, it sees
// those of local memory only.
func TestLoadsPastL1(t *testing.T) {
	g := one(64)
	g.LoadsPastL1 = true
	m := newModel(t, g)
	if err := m.Begin(Launch{1, Level{1024, 2, 128, 32}}); err != nil {
		t.Fatal(err)
	}
	q := stream.NewQueue(m.Push, inOrder)
	c := q.CTA(0, 1)
	for range 2 {
		add(t, c, 0, stream.Load, 0, []stream.Cell{{}})
		add(t, c, 0, stream.Load, 0, []stream.Cell{{Sector: 0}, {Sector: 4}})
		if err := c.Add(0, stream.Load, true, 0, []stream.Cell{{}}, &stream.Forms{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Done(c); err != nil {
		t.Fatal(err)
	}
	got := m.Drain()
	if got.L1 != (LevelCounters{ReadHits: 1, ReadMisses: 1}) || got.L2 != (LevelCounters{ReadHits: 4, ReadMisses: 3}) {
		t.Errorf("%+v", got)
	}
}
