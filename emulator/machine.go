package emulator

import (
	"context"
	"fmt"

	"hyptx/internal/order"
	"hyptx/internal/traffic"
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
	// CTAClass is the index in Classes of each CTA that ran, if asked for.
	CTAClass map[int64]int32
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
func (m *Machine) Launch(ctx context.Context, prog *Program, cfg LaunchConfig) (*Result, error) {
	m.grids++
	r, err := m.launch(ctx, prog, cfg)
	if err != nil && cfg.Speculate && ctx.Err() == nil {
		// Nothing of it has happened. In order it may end well, and if not, at the
		// same place however many workers there are.
		if cfg.Footprint != nil {
			cfg.Footprint.Release()
		}
		if cfg.Progress != nil {
			cfg.Progress.Store(0)
		}
		if cfg.Adds != nil {
			cfg.Adds.Restart()
		}
		cfg.Speculate, cfg.Workers = false, 1
		return m.launch(ctx, prog, cfg)
	}
	return r, err
}

func (m *Machine) launch(ctx context.Context, prog *Program, cfg LaunchConfig) (*Result, error) {
	l := &launch{LaunchConfig: cfg, prog: prog, mem: m.Memory, machine: m, ctx: ctx}
	l.threads = cfg.Block[0] * cfg.Block[1] * cfg.Block[2]
	l.shared = prog.dynShared + cfg.DynamicBytes
	l.module = m.modules[prog.Module]
	if l.module == nil {
		return nil, fmt.Errorf("module %s is not loaded", prog.Module.File)
	}
	l.todo = int64(cfg.Grid[0]) * int64(cfg.Grid[1]) * int64(cfg.Grid[2])
	if cfg.CTAs != nil {
		l.todo = int64(len(cfg.CTAs))
	}
	if err := l.shapeClusters(); err != nil {
		return nil, err
	}
	l.classes = newClassTable(cfg.PerCTA, m.Memory.budget.Reserve)
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
	err := l.run()
	if err == nil || !cfg.Speculate {
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
