package cache

import (
	"fmt"

	"hyptx/internal/rows"
	"hyptx/internal/traffic/stream"
)

// The grains of a stream.
const (
	SectorBytes = stream.SectorBytes
	blockBytes  = stream.BlockBytes
	sectors     = stream.BlockSectors
)

// Limits of what a description may ask for, far above any GPU built.
const (
	maxSMs        = 4096
	maxCTAsPerSM  = 1024
	maxChannels   = 4096
	maxLevelBytes = 8 << 30
	maxWays       = 1 << 20 // 44 bits are left for ages (lines.order)
	maxLines      = 1 << 26 // of all L1s together, and of the L2: 2 GiB of tables
)

// Level is the geometry of one cache.
type Level struct {
	SizeBytes int64 // 0: there is no such cache
	Ways      int   // lines a set
	LineBytes int   // 32, 64 or 128
	// SectorBytes are fetched together: 32 on every L2 and on most L1s, a whole
	// line in Fermi's L1.
	SectorBytes int
}

// Lines returns how many lines fit.
func (l Level) Lines() int64 {
	if l.SizeBytes == 0 {
		return 0
	}
	return l.SizeBytes / int64(l.LineBytes)
}

// check says what is wrong with a geometry; name is the level's.
func (l Level) check(name string) error {
	switch {
	case l.SizeBytes == 0:
		return nil
	case l.SizeBytes < 0 || l.SizeBytes > maxLevelBytes:
		return fmt.Errorf("%s: size of %d bytes: must be 0 to %d", name, l.SizeBytes, int64(maxLevelBytes))
	case l.LineBytes != 32 && l.LineBytes != 64 && l.LineBytes != 128:
		return fmt.Errorf("%s: line of %d bytes: must be 32, 64 or 128", name, l.LineBytes)
	case l.SectorBytes < SectorBytes || l.SectorBytes > l.LineBytes || l.SectorBytes&(l.SectorBytes-1) != 0:
		return fmt.Errorf("%s: sector of %d bytes: must be 32, 64 or 128 and not longer than the line", name, l.SectorBytes)
	case l.Ways < 1 || l.Ways > maxWays:
		return fmt.Errorf("%s: %d ways: must be 1 to %d", name, l.Ways, maxWays)
	case l.SizeBytes%(int64(l.Ways)*int64(l.LineBytes)) != 0:
		return fmt.Errorf("%s: size of %d bytes is no multiple of %d ways x %d bytes a line", name, l.SizeBytes, l.Ways, l.LineBytes)
	}
	return nil
}

// WritePolicy is what an L1 does with a store. All L1s write through.
type WritePolicy int

// The policies.
const (
	NoAllocate WritePolicy = iota // updates what it has
	Allocate                      // keeps sectors that were written as a whole, too
	Evict                         // drops the sectors that it has
)

// Config describes a GPU.
type Config struct {
	SMs     int
	L2      Level
	L1Write WritePolicy
	// LoadsPastL1: its loads of global memory pass the L1 by, as those of some
	// Keplers do; those of local memory do not.
	LoadsPastL1 bool
	Channels    int // DRAM channels
	// DRAM is how DRAM is laid out, without channels if nobody knows, DRAMAccessBytes what it moves at
	// least: 32, 64 or 128.
	DRAM            rows.Geometry
	DRAMAccessBytes int
	// Workers is how many SMs may be run at the same time, at least 1. Results
	// do not depend on it.
	Workers int
	// MaxStreamBytes bounds the requests of resident CTAs; 0: nothing does.
	MaxStreamBytes int64
	// Watch, if not nil, hears the sectors that the L2 is asked for, block by block and
	// in its order.
	Watch func(block uint64, sectors uint8)
	// WatchOnly: nobody but Watch asks for the L2, which is not modelled, and neither is
	// DRAM: their counters stay zero. It takes a third less time.
	WatchOnly bool
}

// Launch is what a launch makes of the GPU.
type Launch struct {
	CTAsPerSM int   // resident at the same time
	L1        Level // of one SM; shared memory may take a part of it away
}

func (c Config) check() error {
	switch {
	case c.SMs < 1 || c.SMs > maxSMs:
		return fmt.Errorf("%d SMs: must be 1 to %d", c.SMs, maxSMs)
	case c.L2.SizeBytes == 0:
		return fmt.Errorf("L2: size of 0 bytes: the model needs an L2")
	case c.L1Write < NoAllocate || c.L1Write > Evict:
		return fmt.Errorf("L1: write policy %d: must be NoAllocate, Allocate or Evict", c.L1Write)
	case c.Channels < 1 || c.Channels > maxChannels:
		return fmt.Errorf("%d DRAM channels: must be 1 to %d", c.Channels, maxChannels)
	}
	if c.MaxStreamBytes < 0 {
		return fmt.Errorf("%d bytes for requests: must not be negative", c.MaxStreamBytes)
	}
	if err := c.L2.check("L2"); err != nil {
		return err
	}
	if c.L2.SectorBytes != SectorBytes {
		return fmt.Errorf("L2: sector of %d bytes: must be %d", c.L2.SectorBytes, SectorBytes)
	}
	if n := c.L2.Lines(); n > maxLines {
		return fmt.Errorf("L2: %d lines: the model holds at most %d", n, maxLines)
	}
	return nil
}

func (l Launch) check(sms int) error {
	if l.CTAsPerSM < 1 || l.CTAsPerSM > maxCTAsPerSM {
		return fmt.Errorf("%d CTAs an SM: must be 1 to %d", l.CTAsPerSM, maxCTAsPerSM)
	}
	if err := l.L1.check("L1"); err != nil {
		return err
	}
	if n := l.L1.Lines() * int64(sms); n > maxLines {
		return fmt.Errorf("L1: %d lines in %d SMs: the model holds at most %d", n, sms, maxLines)
	}
	return nil
}
