package analysis

import (
	"fmt"
	"slices"
	"strings"

	"hyptx/emulator"
	"hyptx/internal/manifest"
	"hyptx/internal/observe"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Elements that are watched: of buffers, which kernels and the host write, of variables of
// modules, and of variables in shared memory, of which each CTA has its own.

// watchedElements are elements that are watched.
type watchedElements struct {
	*observe.Range
	name  string // of the buffer or variable
	first int64  // element
	typ   isa.Type
	// buffer is where they lie, nil of shared memory.
	buffer *emulator.Buffer
	writes uint64
}

// element names one of them by its place in the range.
func (e *watchedElements) element(i int) string {
	return fmt.Sprintf("%s[%d]", e.name, e.first+int64(i))
}

// foundElements are a buffer or variable that a name may stand for, with its size.
type foundElements struct {
	*watchedElements
	bytes int64
}

// findElements finds what a name stands for: a buffer of the manifest, or variables of
// modules and, in shared memory, of kernels, of which several may have it. A variable of a C++
// kernel has its name of the source, too, by which it is told of, if no other has that.
func (s *Session) findElements(e observe.ElementSpec) (list []*watchedElements, err error) {
	var all []foundElements
	add := func(w *watchedElements, bytes int64) { all = append(all, foundElements{w, bytes}) }
	for _, b := range s.Manifest.Buffers {
		typ := isa.ParseType(b.Type.String())
		add(&watchedElements{Range: &observe.Range{Space: isa.Global, Base: b.Base, Elem: b.Type.Size(), CTA: -1}, name: b.Name, typ: typ, buffer: s.memory[b]}, b.Bytes)
	}
	seen := map[*ir.Module]bool{}
	for _, l := range s.launches {
		if m := l.kernel.Module; !seen[m] {
			seen[m] = true
			s.findVariables(m, add)
		}
	}
	name, err := elementsNamed(e.Name, all)
	if err != nil {
		return nil, err
	}
	for _, w := range all {
		if w.name != name {
			continue
		}
		w.name = e.Name
		if err := w.cut(e, w.bytes); err != nil {
			return nil, err
		}
		list = append(list, w.watchedElements)
	}
	return list, nil
}

// elementsNamed returns the name in the PTX, or of the buffer, that a user means.
func elementsNamed(want string, all []foundElements) (string, error) {
	var names, short []string
	for _, w := range all {
		if w.name == want {
			return want, nil
		}
		if names = append(names, observe.VariableName(w.name)); observe.VariableName(w.name) == want {
			short = append(short, w.name)
		}
	}
	slices.Sort(names)
	slices.Sort(short)
	switch short = slices.Compact(short); len(short) {
	case 0:
		return "", fmt.Errorf("there is no buffer or variable %s; there are %s", want, strings.Join(slices.Compact(names), ", "))
	case 1:
		return short[0], nil
	}
	return "", fmt.Errorf("%s may be %s; give the PTX name", want, strings.Join(short, ", "))
}

// findVariables calls add for the variables of a module that kernels can write and others
// see, with their sizes.
func (s *Session) findVariables(m *ir.Module, add func(*watchedElements, int64)) {
	dynamic := int64(0)
	for _, l := range s.launches {
		dynamic = max(dynamic, l.launch.DynamicSharedBytes)
	}
	vars := slices.Clone(m.Vars)
	for _, f := range m.Funcs {
		vars = append(vars, f.Vars...)
	}
	for _, v := range vars {
		if v.Type.Bytes() == 0 || v.Type.Kind() == isa.Opaque {
			continue
		}
		w := &watchedElements{Range: &observe.Range{Space: v.Space, Elem: v.Type.Bytes(), CTA: -1}, name: v.Name, typ: v.Type}
		switch b := s.machine.Variable(m, v); {
		case b != nil:
			w.Base, w.buffer = b.Base, b
			add(w, b.Bytes)
		case v.Space == isa.Shared:
			w.Var = v
			bytes := v.Bytes
			if v.Extern {
				bytes = dynamic
			}
			add(w, bytes)
		}
	}
}

// cut leaves of a buffer what is meant.
func (w *watchedElements) cut(e observe.ElementSpec, bytes int64) error {
	n := bytes / int64(w.Elem)
	if e.Whole {
		if e.From, e.To = 0, n; n > observe.MostWatched {
			return fmt.Errorf("it has %d elements; at most %d are watched: name some, as %s[0:%d]", n, observe.MostWatched, e.Name, observe.MostWatched)
		}
	}
	if e.To > n || e.From >= n {
		return fmt.Errorf("%s has %d elements of %s", e.Name, n, w.typ)
	}
	w.first, w.Bytes = e.From, int(e.To-e.From)*w.Elem
	w.Base += uint64(e.From) * uint64(w.Elem)
	return nil
}

// hostWatched does a step of the host's and tells which elements it has written.
func (s *Session) hostWatched(step *manifest.Step) error {
	d := s.debugging
	if d == nil || len(d.ranges) == 0 {
		return s.host(step)
	}
	base, bytes, err := s.hostTarget(step)
	if err != nil {
		return err
	}
	var told []*observe.Write
	for _, e := range d.ranges {
		from, to := max(base, e.Base), min(base+uint64(bytes), e.Base+uint64(e.Bytes))
		if e.buffer == nil || from >= to {
			continue
		}
		w := &observe.Write{Range: e.Range, First: int(from-e.Base) / e.Elem}
		w.Old = make([]byte, (int(to-e.Base)+e.Elem-1)/e.Elem*e.Elem-w.First*e.Elem)
		if err := e.buffer.Read(w.Old, int64(e.Base-e.buffer.Base)+int64(w.First*e.Elem)); err != nil {
			return err
		}
		told = append(told, w)
	}
	if err := s.host(step); err != nil {
		return err
	}
	for _, w := range told {
		e := d.ranges[slices.IndexFunc(d.ranges, func(e *watchedElements) bool { return e.Range == w.Range })]
		w.New = make([]byte, len(w.Old))
		if err := e.buffer.Read(w.New, int64(e.Base-e.buffer.Base)+int64(w.First*e.Elem)); err != nil {
			return err
		}
		d.wrote(debugPlace{host: step}, e, w)
	}
	return nil
}

// hostTarget returns the bytes of global memory that a step of the host's writes.
func (s *Session) hostTarget(step *manifest.Step) (base uint64, bytes int64, err error) {
	switch {
	case step.Copy != nil:
		return step.Copy.To.Buffer.Base + uint64(step.Copy.To.Offset), step.Copy.Bytes, nil
	case step.Memset != nil:
		return step.Memset.To.Buffer.Base + uint64(step.Memset.To.Offset), step.Memset.Bytes, nil
	case step.Write != nil && step.Write.Buffer != nil:
		return step.Write.Buffer.Base, step.Write.Buffer.Bytes, nil
	case step.Write != nil:
		ref := step.Write.Symbol
		mod, v, err := resolver{s}.variable(ref.Module, ref.Name)
		if err != nil {
			return 0, 0, s.Manifest.Errorf(ref.Path, "%w", err)
		}
		if b := s.machine.Variable(mod, v); b != nil {
			return b.Base + uint64(ref.Offset), b.Bytes - ref.Offset, nil
		}
	}
	return 0, 0, nil
}

// logWrite writes a line for each element that was written.
func (s *Session) logWrite(log *observe.Log, at debugPlace, e *watchedElements, w *observe.Write) {
	for i := 0; i*e.Elem < len(w.Old); i++ {
		old, is := w.Old[i*e.Elem:][:e.Elem], w.New[i*e.Elem:][:e.Elem]
		e.writes++
		line := fmt.Sprintf("%s: %s -> %s  %s", e.element(w.First+i), observe.Bytes(e.typ, old), observe.Bytes(e.typ, is), at.text())
		if w.Func != nil {
			line += "  " + writerText(e, w)
		}
		log.Event("", line)
	}
}

// writerText says which thread wrote, and by which instruction.
func writerText(e *watchedElements, w *observe.Write) string {
	who := w.Place.String()
	if !w.Alone {
		who = fmt.Sprintf("the warp of CTA (%d,%d,%d) thread (%d,%d,%d)", w.CTA[0], w.CTA[1], w.CTA[2], w.Tid[0], w.Tid[1], w.Tid[2])
	}
	if e.Space == isa.Shared && w.Owner != w.ID.CTA {
		who += fmt.Sprintf(" in shared memory of CTA %d", w.Owner)
	}
	return fmt.Sprintf("%s  %s  %s", who, w.Where(), w.Text())
}

// mostShown is how many elements are shown of what is there at the start.
const mostShown = 16

// atStart says what is watched, and what it holds before anything runs.
func (s *Session) atStart(e *watchedElements) string {
	n := e.Bytes / e.Elem
	text := fmt.Sprintf("watching %s", e.element(0))
	if n > 1 {
		text = fmt.Sprintf("watching %s[%d:%d]", e.name, e.first, e.first+int64(n))
	}
	text += fmt.Sprintf(" (%s)", strings.TrimPrefix(e.typ.String(), "."))
	if e.buffer == nil {
		return text + " in the shared memory of each CTA"
	}
	data := make([]byte, min(n, mostShown)*e.Elem)
	if err := e.buffer.Read(data, int64(e.Base-e.buffer.Base)); err != nil {
		return text
	}
	var values []string
	for at := 0; at < len(data); at += e.Elem {
		values = append(values, observe.Bytes(e.typ, data[at:at+e.Elem]))
	}
	if n > mostShown {
		values = append(values, "...")
	}
	if text += ", at the start " + strings.Join(values, ", "); e.buffer.Unspecified {
		text += ", which nobody gave"
	}
	return text
}

// atEnd says how often somebody wrote.
func (e *watchedElements) atEnd() string {
	name := e.element(0)
	if n := e.Bytes / e.Elem; n > 1 {
		name = fmt.Sprintf("%s[%d:%d]", e.name, e.first, e.first+int64(n))
	}
	switch e.writes {
	case 0:
		return name + " was written by nobody"
	case 1:
		return name + " was written once"
	}
	return fmt.Sprintf("%s was written %d times", name, e.writes)
}
