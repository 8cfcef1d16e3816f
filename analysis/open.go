package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hyptx/depgraph"
	"hyptx/internal/manifest"
	"hyptx/internal/source"
	"hyptx/internal/strictjson"
	"hyptx/ir"
)

// Two ways lead to a session. A manifest says all: buffers, launches, arguments, what
// the host does between them. A bare .ptx file says none of that, and is still worth a
// look: package manifest assumes a launch for each of its kernels, from the flags and
// from what the PTX tells of parameters (pointer.go), and what was assumed stands in
// every row. The kernels of a bare file become sessions of their own, because each has
// a memory of its own: nobody knows whether one's output is the other's input.
//
// From there on both are the same. What is unspecified in a manifest's buffer is so in
// a bare file's window, with the same counts and the same exactness.
//
// OpenManifest reads a launch manifest and everything that it names.
func OpenManifest(src source.File, opts Options) (*Session, error) {
	m, err := manifest.ParseWithin(src.Name, src.Text, opts.Restrict)
	if err != nil {
		return nil, err
	}
	s, err := NewSession(m, opts)
	if err != nil {
		return nil, err
	}
	s.Inputs = append([]Input{inputOf(src)}, s.Inputs...)
	return s, nil
}

// OpenBare makes one session for each kernel of a bare .ptx file (or the one
// that Options.Kernel names), launched as the flags say and assumed where they
// do not. Arguments that were given as files are the program's outputs. Kernels that
// cannot be launched so are reported together; the others are returned all the same.
// What is assumed of a single one is settled (guess.go), as who looks at its launch before it
// runs is to see that; of several when each runs.
func OpenBare(ctx context.Context, src source.File, flags manifest.Flags, opts Options) ([]*Session, error) {
	src.Lenient, opts.bare, opts.overrun = opts.Lenient != nil, true, new(int)
	mods, err := src.Modules()
	opts.warn(mods)
	if len(mods) == 0 {
		return nil, err
	}
	if mods, err = src.ForTarget(mods, flags.Target); err != nil {
		return nil, err
	}
	mods, sources, wrong := linkBare(src, mods, opts, flags.Link)
	if wrong == nil {
		wrong = addLibrary(mods)
	}
	if wrong != nil {
		return nil, errors.Join(err, wrong)
	}
	texts := (&files{nil, sources}).inputs()
	kernels, having := newestKernels(mods)
	if len(kernels) == 0 {
		return nil, fmt.Errorf("%s: no kernel (.entry) with a body", src.Name)
	}
	only, err := kernelNamed(opts.Kernel, kernels)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	var out []*Session
	var errs []error
	sizes := map[*ir.Module]uint64{} // which all sessions read
	for _, m := range mods {
		sizes[m] = instructions(m.Funcs)
	}
	for i, k := range kernels {
		if only != "" && only != k.Name {
			continue
		}
		g := &guesses{kernel: k, of: &files{k.Module, sources}, flags: flags, texts: texts, planner: &depgraph.Planner{}, sizes: sizes, chosen: ofSeveral(k, having[i])}
		s, err := g.session(manifest.Guess{}, opts)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.guesses = g
		s.numberFrom(len(out))
		out = append(out, s)
	}
	if len(out) == 1 { // of several the first ones are done before the last are looked at
		out[0].settle(ctx)
	}
	return out, joinKernels(errs, only == "" && len(kernels) > 1)
}

// joinKernels joins the errors of a file's kernels, a line for each cause:
// kernels that lack a parameter of one name share it. several: the user might
// have chosen one of several kernels.
func joinKernels(errs []error, several bool) error {
	lacking := map[string]*manifest.NoParamError{}
	var flat []error
	for _, err := range errs {
		list := strictjson.Errors{err}
		errors.As(err, &list)
		for _, e := range list {
			none := (*manifest.NoParamError)(nil)
			if !errors.As(e, &none) {
				flat = append(flat, e)
				continue
			}
			if first := lacking[e.(*strictjson.Error).Path]; first != nil {
				first.Kernels = append(first.Kernels, none.Kernels...)
				continue
			}
			lacking[e.(*strictjson.Error).Path] = none
			flat = append(flat, e)
		}
	}
	for i, e := range flat {
		if none := (*manifest.NoParamError)(nil); several && errors.As(e, &none) {
			flat[i] = fmt.Errorf("%w; option kernel chooses a kernel", e)
		}
	}
	return errors.Join(flat...)
}

// newestKernels returns the kernels of modules; of those that several modules have,
// the one for the newest GPU that is not refused. having says of each how many modules have it.
func newestKernels(mods []*ir.Module) (kernels []*ir.Func, having []int) {
	byName := map[string]int{}
	for _, m := range mods {
		for _, k := range m.Kernels() {
			at, known := byName[k.Name]
			if !known {
				byName[k.Name] = len(kernels)
				kernels, having = append(kernels, k), append(having, 1)
				continue
			}
			having[at]++
			old, lost := kernels[at], kernels[at].Refused != nil
			if lost && k.Refused == nil || lost == (k.Refused != nil) && m.Target.SM > old.Module.Target.SM {
				kernels[at] = k
			}
		}
	}
	return kernels, having
}

// ofSeveral says from which module of a text a kernel is, where n modules have one of its name.
func ofSeveral(k *ir.Func, n int) []string {
	if n == 1 {
		return nil
	}
	return []string{fmt.Sprintf("module=%s of line %d among %d", k.Module.Target, k.Pos.Line, n)}
}

// warn hands over the warnings of modules.
func (o *Options) warn(mods []*ir.Module) {
	for _, m := range mods {
		if o.Lenient != nil && m != nil && len(m.Warnings) > 0 {
			o.Lenient(m.Warnings)
		}
	}
}

// session makes the session of one kernel of a bare file, of which what nobody gave is
// assumed as a guess has it.
func (g *guesses) session(guess manifest.Guess, opts Options) (*Session, error) {
	if err := refusal(g.kernel); err != nil {
		return nil, err
	}
	if g.about.Name == "" {
		g.about = DescribeKernel(g.kernel)
	}
	k := g.about
	k.Guess = guess
	m, assumed, err := manifest.Assume(k, g.flags)
	if err != nil {
		return nil, err
	}
	m.Name = g.of.sources[0].Stem()
	for _, b := range m.Buffers {
		if !b.Elastic { // given as a file, so its size is known
			m.Outputs = append(m.Outputs, &manifest.Output{Path: b.Path, Name: b.Name, Buffer: b, Bytes: b.Bytes, Type: b.Type})
		}
	}
	data, err := dataInputs(m)
	if err != nil {
		return nil, err
	}
	s, err := newSession(m, map[*manifest.Module]*ir.Module{m.Modules[0]: g.kernel.Module}, opts)
	if err != nil {
		return nil, err
	}
	s.planner, s.written = g.planner, g.sizes
	s.Assumed = slices.Concat(g.chosen, assumed, s.unbound(g.kernel), assumedExterns(g.kernel))
	s.texts = map[*manifest.Module][]byte{m.Modules[0]: g.of.text()}
	s.Inputs = slices.Concat(g.texts, []Input{flagsInput(g.flags)}, data)
	return s, nil
}

// DescribeKernel describes a kernel to package manifest, which assumes a launch of it.
// A parameter is a pointer if its declaration says so (.ptr, PTX ISA 5.1.6.3) or if its
// value becomes an address.
func DescribeKernel(k *ir.Func) manifest.Kernel {
	ps := Params(k)
	for i := range ps {
		ps[i].Pointer = ps[i].Pointer || reachesAddress(k, k.Params[i].Var)
		if ps[i].Object = objectOf(k, k.Params[i].Var); ps[i].Object != 0 {
			ps[i].Pointer = false
		}
	}
	return manifest.Kernel{
		Module: k.Module.File, Name: k.Name, Params: ps,
		ReqThreads: k.ReqNTID, MaxThreads: k.MaxNTID, ReqCluster: clusterGrid(k), ExplicitCluster: k.ExplicitCluster && k.ReqNCTAPerCluster == [3]int{},
		DynamicShared: usesDynamicShared(k), StaticShared: staticShared(k), Dimensions: dimensions(k),
		Narrow: k.Module.AddressSize == 32,
	}
}
