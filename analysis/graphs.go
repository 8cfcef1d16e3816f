package analysis

import (
	"fmt"
	"io"

	"hyptx/depgraph"
)

// Launches returns the number of launches, repeats written out.
func (s *Session) Launches() int { return len(s.launches) }

// WriteGraph writes the control-flow graph ("cfg"), the dependency graph
// ("deps") or the filtered dependency graph of all branches ("slice") of the
// first launch of Options.Kernel, or of the program's only kernel, as DOT.
func (s *Session) WriteGraph(w io.Writer, what string) error {
	chosen, err := s.chosen()
	if err != nil {
		return err
	}
	var found *launchPlan
	for _, l := range s.launches {
		if !chosen[l.index] {
			continue
		}
		if found != nil && found.kernel != l.kernel {
			return fmt.Errorf("%s: the program has several kernels: choose one with --kernel", s.Manifest.File)
		}
		if found == nil {
			found = l
		}
	}
	data, err := s.graph(found, what)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

func (s *Session) graph(l *launchPlan, what string) ([]byte, error) {
	switch what {
	case "cfg":
		return depgraph.CFG(l.kernel)
	case "slice":
		return s.plan()[l.index].DOT()
	}
	return s.planner.Kernel(l.kernel).Specialise(l.dep).DOT()
}
