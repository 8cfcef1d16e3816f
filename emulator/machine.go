package emulator

import (
	"context"
	"fmt"

	"hyptx/internal/order"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
	"hyptx/ir"
)

// The device lives as long as a program: buffers keep what a launch has written for
// the next one.

// Machine is the device: global memory and the modules loaded into it. It
// keeps its memory over launches. A Machine runs one launch at a time.
type Machine struct {
	Memory  *Memory
	modules map[*ir.Module]*moduleData
	// opaques are the textures, surfaces and samplers, by handle.
	opaques []opaque
	grids   uint64
	// InvertedBorrow: sub.cc and subc keep the inverse of the borrow in the condition code
	// (arithmetic.go).
	InvertedBorrow bool
	// ExternBytes is how much memory of unspecified contents stands for an array that is
	// declared .extern, without its size, and defined nowhere. With 0 what names it is not
	// compiled.
	ExternBytes int64
	log         *order.Log // of the last launch
}

// NewMachine returns a machine whose memory may take limitBytes.
func NewMachine(limitBytes int64) *Machine {
	return &Machine{Memory: newMemory(limitBytes), modules: map[*ir.Module]*moduleData{}}
}

// Result is what a launch did.
type Result struct {
	Program *Program
	// Classes are the CTAs that ran, by equal counts, in the order of their
	// first one.
	Classes []Class
	// CTAClass is the index in Classes of each CTA that ran, by its place among those asked for;
	// nil if nobody wants to know.
	CTAClass []int32
	// Loops are the program's loops, if asked for; MaxPaths is the largest
	// number of different paths among the threads of one CTA.
	Loops    []LoopCount
	MaxPaths int
	// ClassBytes is what the classes count of the limit of memory.
	ClassBytes int64
	// Skipped are the warp instructions of the slice that were counted without
	// being run, in rounds of loops that are alike.
	Skipped uint64
	// Beyond are the instructions with accesses that hit no memory and were forgiven,
	// with how many lanes' elements those were.
	Beyond map[ir.PC]uint64
	// Outside are the warp-synchronous operations that lanes executed which their member
	// masks do not name, with how many lanes did.
	Outside map[ir.PC]uint64
	// Traffic is what the accesses moved, nil unless the program counts it.
	Traffic *traffic.Counts
	// Order is what following origins found, nil where it did not.
	Order *order.Log
}

// Launch runs a program. What the launch has written by the time of an error
// stays in memory.
//
// Which error that is, and what was done before it, is what the schedule says, and so
// does not depend on the number of workers: if CTAs that ran side by side do not all end
// well, all of them run in order, where another may fail first.
func (m *Machine) Launch(ctx context.Context, prog *Program, cfg LaunchConfig) (*Result, error) {
	m.grids++
	for _, b := range m.Memory.buffers {
		b.table.Ready()
	}
	if cfg.Workers = cfg.sideBySide(prog); cfg.Observer != nil {
		cfg.Workers = 1
	}
	cfg.Speculate = cfg.Speculate && cfg.Workers > 1
	heard := hearing{to: cfg.Requests}
	if cfg.Requests != nil {
		cfg.Requests = heard.hear
	}
	r, err := m.launch(ctx, prog, cfg)
	if err == nil || cfg.Workers == 1 || ctx.Err() != nil {
		return r, err
	}
	if cfg.Footprint != nil {
		cfg.Footprint.Release()
	}
	if cfg.Progress != nil {
		cfg.Progress.Store(0)
	}
	if cfg.Adds != nil {
		cfg.Adds.Restart()
	}
	heard.known, heard.n = heard.n, 0
	cfg.Speculate, cfg.Workers = false, 1
	return m.launch(ctx, prog, cfg)
}

// hearing hands the requests of CTAs to whoever listens, those of each once: where a
// launch runs again, the first ones are known.
type hearing struct {
	to       func(*stream.CTA) error
	n, known int64
}

func (h *hearing) hear(c *stream.CTA) error {
	if h.n++; h.n <= h.known {
		return nil
	}
	if err := h.to(c); err != nil {
		h.n--
		return err
	}
	return nil
}

func (m *Machine) launch(ctx context.Context, prog *Program, cfg LaunchConfig) (*Result, error) {
	l := &launch{LaunchConfig: cfg, prog: prog, mem: m.Memory, machine: m, ctx: ctx}
	l.threads = cfg.Block[0] * cfg.Block[1] * cfg.Block[2]
	l.shared = prog.dynShared + cfg.DynamicBytes
	l.module = m.modules[prog.Module]
	if l.module == nil {
		return nil, fmt.Errorf("module %s is not loaded", prog.Module.File)
	}
	l.todo = cfg.numCTAs()
	if err := l.shapeClusters(); err != nil {
		return nil, err
	}
	l.numberBlocks()
	l.countTraffic()
	if err := l.checkSpaces(); err != nil {
		return nil, err
	}
	l.GridID = m.grids
	m.log = m.log.Next()
	l.log = m.log
	l.printed.limit = cfg.PrintBytes
	l.order = order.Launch{Number: uint32(m.grids), Log: l.log, Grain: prog.grain}
	l.follow()
	l.beginCheck()
	var err error
	if l.classes, err = newClassTable(l); err != nil {
		return nil, err
	}
	err = l.run()
	l.endSteps()
	if err == nil || cfg.Workers == 1 || ctx.Err() != nil { // else it runs again
		l.printed.give(cfg.Print)
	}
	if err != nil {
		l.classes.drop()
		return nil, err
	}
	if l.order.Unsettled() {
		m.Memory.settle(&l.order)
	}
	r := &Result{Program: prog, Skipped: l.skipped.Load(), Beyond: l.beyond.at, Outside: l.outside.at, ClassBytes: l.classes.reserved}
	r.Classes, r.CTAClass = l.classes.sorted()
	r.Loops, r.MaxPaths = l.classes.loops, l.classes.paths
	r.Traffic = l.traffic
	if prog.decisions > 0 {
		r.Order = l.log
	}
	return r, nil
}
