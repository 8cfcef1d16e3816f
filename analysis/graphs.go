package analysis

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"hyptx/depgraph"
)

// The graphs that hyptx slices can be looked at: the control-flow graph of a kernel, the
// dependency graph of a launch (specialised by what is constant in it), and the filtered
// graph that control mode emulates. They are those of the analysis itself, not drawn
// after it, so that an instruction which is missing in a picture is one that was not
// emulated.
//
// Launches returns the number of launches, repeats written out.
func (s *Session) Launches() int { return len(s.launches) }

// WriteGraph writes the control-flow graph ("cfg"), the dependency graph
// ("deps") or the filtered dependency graph of all branches ("slice") of the
// first launch of Options.Kernel, or of the program's only kernel, as DOT. note
// says what a reader might wonder at, "" if nothing.
func (s *Session) WriteGraph(w io.Writer, what string) (note string, err error) {
	chosen, err := s.chosen()
	if err != nil {
		return "", err
	}
	var found *launchPlan
	for _, l := range s.launches {
		switch {
		case !chosen[l.index]:
		case found == nil:
			found = l
		case found.kernel != l.kernel:
			return "", fmt.Errorf("%s: the program has several kernels: choose one with option kernel", s.Manifest.File)
		}
	}
	data, note, err := s.graph(found, what)
	if err != nil {
		return "", err
	}
	if open := bytes.IndexByte(data, '\n') + 1; note != "" {
		data = slices.Insert(data, open, []byte("\t// "+note+"\n")...)
	}
	_, err = w.Write(data)
	return note, err
}

// graph draws one graph of a launch.
func (s *Session) graph(l *launchPlan, what string) (dot []byte, note string, err error) {
	switch what {
	case "cfg":
		dot, err = depgraph.CFG(l.kernel)
	case "slice":
		f := s.plan(nil)[l.index]
		if f.Len() == 0 {
			note = "the slice is empty: the launch's constants decide where threads go, nothing has to be emulated for it"
		}
		dot, err = f.DOT()
	default:
		dot, err = s.planner.Kernel(l.kernel).Specialise(l.dep).DOT()
	}
	return dot, note, err
}
