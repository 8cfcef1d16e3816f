package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hyptx/emulator"
	"hyptx/internal/manifest"
	"hyptx/internal/observe"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A program that is executed can be debugged (Options.Debug): threads are followed step by
// step, writes of some elements are told, and where the first NaN comes from. What a user
// has written is held against the program before anything runs; CTAs then run in the order
// of the schedule, whatever Options.Jobs says, with the same results.

// debugging is what a session is debugged for.
type debugging struct {
	what observe.What
	// threads are those that are followed, by launch; kernels has those of which any is.
	threads [][]observe.Thread
	kernels map[*ir.Func]bool
	ranges  []*watchedElements
	floats  *observe.Floats
	found   []*firstOf
	// step and wrote hear what happens in the launch that runs, the n-th repetition of it.
	// wrote hears of the host, too, with its step in the place of a thread.
	step  func(at debugPlace, s *observe.Step)
	wrote func(at debugPlace, e *watchedElements, w *observe.Write)
	at    debugPlace
}

// debugPlace is when something happened: in a launch, or in a step of the host's.
type debugPlace struct {
	launch     *launchPlan
	repetition int64
	host       *manifest.Step
}

// String names the launch, or the step.
func (p debugPlace) String() string {
	switch {
	case p.host != nil:
		return hostText(p.host)
	case p.launch.launch.Count > 1:
		return fmt.Sprintf("launch %d (%s), repetition %d", p.launch.number, p.launch.kernel.Name, p.repetition)
	}
	return fmt.Sprintf("launch %d (%s)", p.launch.number, p.launch.kernel.Name)
}

// hostText says what the host does in a step.
func hostText(step *manifest.Step) string {
	what := "write"
	switch {
	case step.Copy != nil:
		what = "copy"
	case step.Memset != nil:
		what = "memset"
	}
	return fmt.Sprintf("the host's %s (%s)", what, step.Path)
}

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

// debug prepares what Options.Debug asks for.
func (s *Session) debug() error {
	r := s.Options.Debug
	if r == nil || s.debugging != nil {
		return nil
	}
	d := &debugging{threads: make([][]observe.Thread, len(s.launches)), kernels: map[*ir.Func]bool{}}
	for _, t := range r.Threads {
		if err := s.findThread(d, t); err != nil {
			return fmt.Errorf("%s: option trace %s: %w", s.Manifest.File, t.Text, err)
		}
	}
	for _, e := range r.Elements {
		found, err := s.findElements(e)
		if err != nil {
			return fmt.Errorf("%s: option watch %s: %w", s.Manifest.File, e.Text, err)
		}
		d.ranges = append(d.ranges, found...)
	}
	d.step = func(at debugPlace, t *observe.Step) {
		r.Log.Event(fmt.Sprintf("%v, %v", at, &t.Place), t.String())
	}
	d.wrote = func(at debugPlace, e *watchedElements, w *observe.Write) { s.logWrite(r.Log, at, e, w) }
	s.debugging = d
	if r.FirstNaN {
		s.lookForNaN(d)
	}
	d.what = observe.What{Steps: len(r.Threads) > 0, Floats: r.FirstNaN, Writes: len(d.ranges) > 0}
	for _, e := range d.ranges {
		r.Log.Say("%s", s.atStart(e))
	}
	return nil
}

// findThread finds the launches in which a thread is followed.
func (s *Session) findThread(d *debugging, t observe.ThreadSpec) error {
	var kernels []*ir.Func
	for _, l := range s.launches {
		if !slices.Contains(kernels, l.kernel) {
			kernels = append(kernels, l.kernel)
		}
	}
	name, err := kernelNamed(t.Kernel, kernels)
	if err != nil {
		return err
	}
	chosen := make([]bool, len(s.launches))
	if err := s.chooseLaunches(chosen, t.Launches); err != nil {
		return err
	}
	var outside error
	of, found := 0, 0
	for i, l := range s.launches {
		if !chosen[i] || l.kernel.Name != name {
			continue
		}
		of++
		cta, ok := t.CTA.In(l.grid)
		if !ok {
			outside = cmpError(outside, "launch %d of %s has a grid of %v CTAs: there is no such CTA", l.number, name, l.grid)
			continue
		}
		thread, ok := t.Thread.In(l.cta)
		if !ok {
			outside = cmpError(outside, "launch %d of %s has a block of %v threads: there is no such thread", l.number, name, l.cta)
			continue
		}
		found++
		d.threads[i] = append(d.threads[i], observe.Thread{CTA: cta, Thread: int(thread)})
		d.kernels[l.kernel] = true
	}
	switch {
	case of == 0:
		return fmt.Errorf("none of the launches %s is of kernel %s", t.Launches, name)
	case found == 0:
		return outside
	}
	return nil
}

// cmpError keeps the first of several errors.
func cmpError(first error, format string, args ...any) error {
	if first != nil {
		return first
	}
	return fmt.Errorf(format, args...)
}

// findElements finds what a name stands for: a buffer of the manifest, or variables of
// modules and, in shared memory, of kernels, of which several may have it.
func (s *Session) findElements(e observe.ElementSpec) (list []*watchedElements, err error) {
	var names []string
	add := func(w *watchedElements, bytes int64) {
		names = append(names, w.name)
		if w.name == e.Name && err == nil {
			if err = w.cut(e, bytes); err == nil {
				list = append(list, w)
			}
		}
	}
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
	if len(list) == 0 && err == nil {
		slices.Sort(names)
		err = fmt.Errorf("there is no buffer or variable %s; there are %s", e.Name, strings.Join(slices.Compact(names), ", "))
	}
	return list, err
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

// observes says what of a kernel may be observed.
func (s *Session) observes(k *ir.Func) (what observe.What) {
	if d := s.debugging; d != nil {
		what = d.what
		what.Steps = what.Steps && d.kernels[k]
	}
	return what
}

// observer is told of a launch what is debugged, nil if nothing.
func (s *Session) observer(l *launchPlan, repetition int64) *observe.Observer {
	d := s.debugging
	if d == nil {
		return nil
	}
	d.at = debugPlace{launch: l, repetition: repetition}
	o := &observe.Observer{Threads: d.threads[l.index], Floats: d.floats}
	o.Step = func(t *observe.Step) { d.step(d.at, t) }
	byRange := map[*observe.Range]*watchedElements{}
	for _, e := range d.ranges {
		o.Ranges = append(o.Ranges, e.Range)
		byRange[e.Range] = e
	}
	o.Wrote = func(w *observe.Write) { d.wrote(d.at, byRange[w.Range], w) }
	return o
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
		line := fmt.Sprintf("%s: %s -> %s  %v", e.element(w.First+i), observe.Bytes(e.typ, old), observe.Bytes(e.typ, is), at)
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

// endDebug says what came of it, and explains the first NaN.
func (s *Session) endDebug(ctx context.Context) error {
	d, r := s.debugging, s.Options.Debug
	if r == nil {
		return nil
	}
	if d != nil && s.left == nil { // else the session belongs to work that was left behind
		for _, e := range d.ranges {
			r.Log.Say("%s", e.atEnd())
		}
		if d.floats != nil {
			s.tellFirst(ctx)
		}
	}
	return r.Log.End()
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
