package analysis

import (
	"hyptx/depgraph"
	"hyptx/internal/check"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A sanitizer on a GPU sees addresses, and one that an index has led from its buffer into another
// looks right to it. Here the PTX says what an address stems from (depgraph.Stems), and the
// launch where that lies.

// findStems tells a launch that is checked what the addresses of its accesses stem from.
func (s *Session) findStems(l *launchPlan, f *depgraph.Filtered) {
	c := s.checking
	if !c.looks() || !c.Groups.Has(check.Memory) || f == nil || f.Graph == nil {
		return
	}
	stems, shared := make([]check.Stem, len(l.kernel.Module.Instrs)), make([]check.Stem, len(l.kernel.Module.Instrs))
	f.Graph.Stems(func(pc ir.PC, v *ir.Var, buffer int) {
		switch {
		case l.kernel.Module.FuncOf(pc).Library:
		case v == nil && buffer < len(s.Manifest.Buffers):
			b := s.Manifest.Buffers[buffer]
			stems[pc] = check.Stem{Object: b.Name, Base: b.Base, Bytes: uint64(b.Bytes)}
		case v != nil && v.Space == isa.Shared:
			shared[pc] = check.Stem{Object: v.Name, Shared: true, Bytes: uint64(v.Bytes)}
		}
	})
	c.log.Stems, c.log.SharedStems = stems, shared
}
