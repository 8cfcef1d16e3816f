package device

import (
	"errors"

	"hyptx/analysis"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/manifest"
)

// Making ready. Everything that can fail for a reason of the manifest's happens
// before the first launch, in an order in which each step has what it needs: what no
// GPU can do is refused before memory is taken, limits are set before anything runs
// (the driver refuses another size of the heap once a kernel has used it), and
// arguments are packed when all addresses are known. So a run of an hour does not end
// at its last launch over a grid that never fitted.

// Program is a manifest's program made ready on a GPU. It belongs to the
// goroutine of its [cuda.Context].
type Program struct {
	// After, if not nil, is called when a launch of Run has ended, with its
	// index; its error ends the run as it is.
	After func(index int) error

	c       *cuda.Context
	s       *analysis.Session
	modules map[*manifest.Module]*module
	buffers map[*manifest.Buffer]cuda.DevicePointer
	// kernels are the launches made ready; launches lists them in order, each once.
	kernels  map[*manifest.Launch]*kernel
	launches []*manifest.Launch
	// freeing are the allocations, which may begin before their buffers.
	freeing []cuda.DevicePointer
	timer   *cuda.Timer
}

// kernel is a launch made ready.
type kernel struct {
	function *cuda.Function
	launch   cuda.Launch
	took     Launch // without index and time
}

// New loads a session's modules into a GPU, allocates its buffers and fills
// them.
func New(c *cuda.Context, s *analysis.Session) (*Program, error) {
	p := &Program{
		c: c, s: s, modules: map[*manifest.Module]*module{}, buffers: map[*manifest.Buffer]cuda.DevicePointer{},
		kernels: map[*manifest.Launch]*kernel{},
	}
	for _, ready := range []func() error{p.checkManifest, p.setLimits, p.load, p.findKernels, p.allocate, p.pack, p.makeTimer, p.Fill} {
		if err := ready(); err != nil {
			p.Close() // that it failed says more than whether what is there could be freed
			return nil, err
		}
	}
	return p, nil
}

// setLimits sets what the manifest's limits say.
func (p *Program) setLimits() error {
	l := p.s.Manifest.Limits
	for _, set := range []struct {
		key   string
		limit cuda.Limit
		bytes int64
	}{{"stackBytes", cuda.LimitStackBytes, l.StackBytes}, {"heapBytes", cuda.LimitHeapBytes, l.HeapBytes}, {"printfBytes", cuda.LimitPrintfBytes, l.PrintfBytes}} {
		if set.bytes == 0 {
			continue
		}
		if err := p.c.SetLimit(set.limit, uint64(set.bytes)); err != nil {
			return p.s.Manifest.Errorf("limits."+set.key, "%w", err)
		}
	}
	return nil
}

// findKernels finds each launch's kernel in the GPU's modules and holds the
// launches against what it can do.
func (p *Program) findKernels() error {
	m := p.s.Manifest
	for step := range m.All() {
		l := step.Launch
		if l == nil || p.kernels[l] != nil {
			continue
		}
		name := p.s.Kernel(l).Name
		f, err := p.modules[l.Module].loaded.Function(name)
		if err != nil {
			return m.Errorf(l.Path, "%w", err)
		}
		k := &kernel{function: f, took: Launch{Path: l.Path, Label: l.Label, Kernel: name, Count: l.Count}}
		for a := range 3 {
			k.launch.Grid[a], k.launch.Block[a], k.launch.Cluster[a] = uint32(l.Grid[a]), uint32(l.Block[a]), uint32(l.Cluster[a])
		}
		k.launch.SharedBytes, k.launch.Cooperative = uint32(l.DynamicSharedBytes), l.Cooperative
		if err := p.checkLaunch(l, k); err != nil {
			return err
		}
		p.kernels[l], p.launches = k, append(p.launches, l)
	}
	return nil
}

func (p *Program) makeTimer() (err error) {
	p.timer, err = p.c.Timer()
	return err
}

// Close frees what the program has on the GPU. After a sticky error, or where
// a launch was left running, nothing can be freed, and the end of the context
// does it.
func (p *Program) Close() error {
	if p.c.Lost() || p.c.Left() {
		return nil
	}
	errs := []error{p.timer.Destroy()}
	for _, at := range p.freeing {
		errs = append(errs, p.c.Free(at))
	}
	for _, mod := range p.s.Manifest.Modules {
		if m := p.modules[mod]; m != nil {
			errs = append(errs, m.loaded.Unload())
		}
	}
	p.timer, p.freeing, p.modules = nil, nil, nil
	return errors.Join(errs...)
}
