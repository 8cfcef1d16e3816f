package analysis

import (
	"fmt"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/slice"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// OrderDependence says whether what a program stores may depend on the order in
// which its threads run.
type OrderDependence uint8

// The dependences. OrderUnlessRaces: threads load memory that the launch writes;
// in place, or through shared memory and barriers, that is in order, as nearly
// all such code is, and only following the order tells a race from it.
// OrderOpen: atomics return values, or clocks are read.
const (
	OrderFixed OrderDependence = iota
	OrderUnlessRaces
	OrderOpen
)

// maxOrderBytes bounds the buffers of a program whose order is followed: each
// byte that is touched takes 64 of origins.
const maxOrderBytes = 64 << 20

// OrderDependence looks at the code of all launches: what their stores, their
// addresses and their guards may stem from.
func (s *Session) OrderDependence() OrderDependence {
	most := OrderFixed
	seen := map[*launchPlan]bool{}
	for _, l := range s.launches {
		if l = s.byLaunch[l.launch]; seen[l] {
			continue
		}
		seen[l] = true
		var stores []ir.PC
		for _, fn := range l.kernel.Closure() {
			for i := range fn.Instrs() {
				if in := &fn.Instrs()[i]; in.Inst.IsStore() || in.Inst.IsAtomic() || in.Inst.Form.Object > isa.Reads {
					stores = append(stores, in.PC)
				}
			}
		}
		from := s.planner.Kernel(l.kernel).Specialise(l.dep).Filter(stores...).Sources
		switch {
		case from.Scheduled:
			return OrderOpen
		case from.Shared:
			most = OrderUnlessRaces
		}
	}
	return most
}

// CanFollowOrder says why a program is too large for a run that follows the
// order of threads; nil if it is not.
func (s *Session) CanFollowOrder() error {
	bytes := int64(0)
	for _, b := range s.Manifest.Buffers {
		bytes += b.Bytes
	}
	if bytes > maxOrderBytes {
		return fmt.Errorf("buffers of %d MiB; what the order of threads decides is followed through %d at most", bytes>>20, maxOrderBytes>>20)
	}
	return nil
}

// Scheduled reports, for each element of each output, whether it may depend on
// the order of threads, in a session that has run as vary.Ordered: what the
// order decides was followed through registers and memory. Where it decided a
// branch or a guard, everything may depend on it.
func (s *Session) Scheduled() ([][]bool, error) {
	outs, err := s.Outputs()
	if err != nil {
		return nil, err
	}
	list := make([][]bool, len(outs))
	for i, o := range s.Manifest.Outputs {
		b, _, err := s.outputPlace(o)
		if err != nil {
			return nil, err
		}
		list[i] = make([]bool, outs[i].Len())
		for k := range list[i] {
			n := int64(outs[i].Type.Size())
			list[i][k] = s.orderDecides || b.Scheduled(o.Offset+int64(k)*n, n)
		}
	}
	return list, nil
}

// orderSlice is what origins are followed through if the session follows the
// order of threads: everything. Else it is nil.
func (s *Session) orderSlice(full *depgraph.Filtered) *slice.Slice {
	if v := s.Options.Variation; v != nil && v.Order {
		return full.Slice
	}
	return nil
}

// noteOrder notes whether the order of threads decided a branch or a guard.
func (s *Session) noteOrder(prog *emulator.Program, r *emulator.Result) {
	for _, c := range r.Classes {
		n := prog.Decisions(c.Counts)
		s.orderDecides = s.orderDecides || n[0]+n[1] > 0 // scheduled or undefined
	}
}
