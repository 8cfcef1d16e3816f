package analysis

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/gocarina/gocsv"

	"hyptx/depgraph"
	"hyptx/internal/dot"
	"hyptx/ir"
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
// first launch of Options.Kernel, or of the program's only kernel, as DOT; of one CTA, if
// cta is not nil, and filtered by one jump, if its number is not negative. For "classes" it
// writes the classes of CTAs with equal graphs as CSV. note says what a reader might wonder
// at, "" if nothing.
func (s *Session) WriteGraph(w io.Writer, what string, cta []int, jump int) (note string, err error) {
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
	switch what {
	case "classes":
		return "", s.writeClasses(w, found)
	case "cfg":
		data, err := depgraph.CFG(found.kernel)
		if err == nil {
			_, err = w.Write(data)
		}
		return "", err
	}
	p, note, err := s.graph(found, what, cta, jump)
	if err != nil {
		return "", err
	}
	data, err := p.Marshal(found.kernel.Name)
	if err != nil {
		return "", err
	}
	if open := bytes.IndexByte(data, '\n') + 1; note != "" {
		data = slices.Insert(data, open, []byte("\t// "+note+"\n")...)
	}
	_, err = w.Write(data)
	return note, err
}

// graph draws one graph of a launch, or of one of its CTAs.
func (s *Session) graph(l *launchPlan, what string, cta []int, jump int) (p dot.Picture, note string, err error) {
	f := s.plan(nil)[l.index]
	g := s.planner.Kernel(l.kernel).Specialise(l.dep)
	if cta != nil {
		place := [3]uint32{}
		for axis, at := range cta {
			if place[axis] = uint32(at); at >= int(l.grid[axis]) {
				return p, "", fmt.Errorf("CTA %v: the grid of launch %d is %v", cta, l.number, l.grid)
			}
		}
		groups := f.Groups()
		n := groups.Of(place)
		if g = groups.Graphs[n]; groups.Filters() != nil {
			f = groups.Filters()[n]
		}
	}
	switch {
	case jump >= 0:
		if f = g.Filter(ir.PC(jump)); f.Len() == 0 {
			return p, "", fmt.Errorf("instruction %d is none of kernel %s that the launch can reach", jump, l.kernel.Name)
		}
	case what == "deps":
		return g.DOT(), "", nil
	case f.Len() == 0:
		note = "the slice is empty: the launch's constants decide where threads go, nothing has to be emulated for it"
	}
	return f.DOT(), note, nil
}

// classRow is CTAs whose graphs are equal, specialised by what their %ctaid decides.
type classRow struct {
	Class int    `csv:"class"`
	CTAs  uint64 `csv:"ctas"`
	Nodes int    `csv:"nodes"` // instructions that can be executed
	Edges int    `csv:"edges"`
	Slice int    `csv:"slice"` // members of the slice that is emulated
	First string `csv:"first_cta"`
}

// writeClasses writes the classes of a launch's CTAs as CSV.
func (s *Session) writeClasses(w io.Writer, l *launchPlan) error {
	f := s.plan(nil)[l.index]
	groups := f.Groups()
	if n := groups.Count(); n >= maxGraphs {
		return fmt.Errorf("launch %d: its CTAs have %d different graphs or more; choose one with option cta", l.number, n)
	}
	filters := groups.Filters()
	c := &cover{launch: l, axes: groups.Axes}
	each := l.ctas()
	for axis, differ := range c.axes {
		if differ {
			each /= uint64(l.grid[axis])
		}
	}
	var rows []*classRow
	c.eachPlace(func(place [3]uint32) {
		n := groups.Of(place)
		class := groups.Classes[n]
		if class == len(rows) {
			r := &classRow{Class: class, Slice: f.Len(), First: fmt.Sprintf("%d,%d,%d", place[0], place[1], place[2])}
			if r.Nodes, r.Edges = groups.Graphs[n].DOT().Size(); filters != nil {
				r.Slice = filters[n].Len()
			}
			rows = append(rows, r)
		}
		rows[class].CTAs += each
	})
	return gocsv.Marshal(rows, w)
}

// maxGraphs is at how many different graphs depgraph stops counting.
const maxGraphs = 1000
