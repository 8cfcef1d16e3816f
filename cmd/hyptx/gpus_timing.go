package main

import (
	"strings"

	"hyptx/internal/gpu"
	"hyptx/internal/roofline"
)

// A simulation of time takes most of its numbers from what is known of the
// architecture. Who wants to know on what its figures rest sees them here, and whose
// they are; what nobody documents is marked.

// writeTiming prints what a simulation of time takes of a GPU.
func (a *app) writeTiming(g *gpu.GPU) {
	t, err := g.Timing()
	a.say("\ntiming: as the file says, else of the compute capability and type of memory")
	if err != nil {
		a.sayFolded("none: %s", strings.Join(roofline.UnknownFields(err), ", ")+unfielded(err))
		return
	}
	var facts sheet
	for _, f := range t.Facts {
		from := f.From + ": "
		if f.Assumed {
			from = "assumed, " + from
		}
		facts.add(f.Path, f.Value, f.Unit, from+f.Source)
	}
	facts.print(a.text, a.columns())
	if t.Capability != g.ComputeCapability.Value {
		a.sayFolded("of compute capability %s nothing is known: the nearest lower one, %s, stands in", g.ComputeCapability.Value, t.Capability)
	}
	a.sayFolded("%d of %d numbers are assumed: no document states them for this GPU, its compute capability or its memory", len(t.Assumed), len(t.Facts))
}

// unfielded is an error that names no field of the file.
func unfielded(err error) string {
	if roofline.UnknownFields(err) != nil {
		return " unknown"
	}
	return err.Error()
}
