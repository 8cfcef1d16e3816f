package analysis

import (
	"errors"
	"fmt"
	"hyptx/internal/adder"
	"slices"

	"github.com/ianlancetaylor/demangle"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/fold"
	"hyptx/internal/hierarchy"
	"hyptx/internal/machine"
	"hyptx/internal/manifest"
	"hyptx/internal/sim"
	"hyptx/internal/strictjson"
	"hyptx/internal/texel"
	"hyptx/ir"
)

// Session is a program under analysis: a manifest, its modules and its memory.
type Session struct {
	Manifest *manifest.Manifest
	Options  Options
	// Assumed lists what the user did not give of the launches (bare files).
	Assumed []string
	// Unsimulated is why the timing simulator cannot follow some launch, nil if it can all.
	// LargestCluster is how many CTAs the largest cluster has, of which it has to know.
	Unsimulated    error
	LargestCluster int
	// Inputs are the texts and files that the session was made from.
	Inputs []Input

	machine *emulator.Machine
	// checking is nil unless somebody asked for a check.
	checking *checking
	modules  map[*manifest.Module]*ir.Module
	texts    map[*manifest.Module][]byte
	// written is how many instructions somebody wrote of each module: sessions of a bare
	// file's kernels share it, who would count the whole file for each of them.
	written  map[*ir.Module]uint64
	planner  *depgraph.Planner
	compiled map[*ir.Func]compiled
	// codes are the machine code of kernels, estimated.
	codes map[codeKey][]*machine.Code
	// linkers are those of the same code, where warps are traced.
	linkers map[codeKey]*sim.Linker
	// addCodes are what it makes of additions, where these are watched.
	addCodes map[codeKey]*adder.Code
	// bufferIndex numbers the manifest's buffers for depgraph.
	bufferIndex map[*manifest.Buffer]int
	memory      map[*manifest.Buffer]*emulator.Buffer
	// textures are the manifest's, bound the module variables that stand for one or for a
	// surface, with its buffer.
	textures map[string]*texel.Texture
	bound    map[*ir.Var]int
	// launches are the launches of the manifest with repeats written out.
	launches []*launchPlan
	byLaunch map[*manifest.Launch]*launchPlan // the first of each
	steps    []planStep
	next     int // of steps, for Step
	// hostSteps are those that were done so far.
	hostSteps int
	// left is why work on the session was left behind (guarded), nil if none was.
	left error
	// caches see the requests of the launch that runs; nil if none were asked for.
	caches hierarchy.Listeners
	// simulation simulates its time, nil if nobody asked; simulates: of the launch
	// that runs, too.
	simulation *simulation
	simulates  bool
	// controls are the launches' slices in mode control where samples of their CTAs are run
	// besides (sampled.go), nil where none are; classes: those of the CTAs are kept.
	controls []*depgraph.Filtered
	classes  bool
	// onWarp hears each warp's counts, for finding out where two runs differ.
	onWarp func(cta int64, warp int, counts []uint64)
	// whole: nothing stands for anything else. segments is how many segments
	// the program that runs has.
	whole bool
	// forgiven are the instructions of which accesses were.
	forgiven map[*ir.Instr]*Forgiven
	// outside are those of which a lane's member mask did not name it.
	outside map[*ir.Instr]bool
	// traffic: the memory block is counted. extent is what all launches that
	// were chosen touch.
	traffic  bool
	extent   *extent
	segments int
	// debugging is what Options.Debug comes to, nil if nobody asked.
	debugging *debugging
	// indexedStores are the stores to global memory so far that slices leave out
	// and whose index is not known before it is run, without those of unread: of
	// launches since whose stores no slice has read.
	indexedStores int
	unread        []*depgraph.Filtered
	// decisive are the launches' slices of decisions alone (decisiveSlice).
	decisive []*depgraph.Filtered
	// orderDecides: see Scheduled.
	orderDecides bool
	// guesses are what else may be assumed of a bare file's kernel, nil of a manifest and
	// once that is settled; ends: the launch was tried and ended.
	guesses *guesses
	ends    bool
}

// launchPlan is a launch, checked and packed.
type launchPlan struct {
	index int
	// number is how rows and messages call it: the index, or of a bare file's
	// kernel its place among those that are launched.
	number int
	launch *manifest.Launch
	kernel *ir.Func
	block  *manifest.ParamBlock
	dep    *depgraph.Launch
	grid   [3]uint32
	cta    [3]uint32
	// cluster is how many CTAs a cluster has, explicit that the launch or the kernel
	// says so.
	cluster  [3]uint32
	explicit bool
	// assumed: the grid, the block or a structure was not given. Of a structure
	// nobody knows what it means, so that zeros are no typical value, as 1024 is of
	// a number: they may be sizes or pointers, and the kernel may do nothing at all.
	assumed bool
}

// numberFrom numbers the launches from first on.
func (s *Session) numberFrom(first int) {
	for _, l := range s.launches {
		l.number = first + l.index
	}
}

// planStep is a launch or a host step, in order.
type planStep struct {
	launch *launchPlan
	host   *manifest.Step
}

// NewSession loads a manifest's modules and checks its launches against them.
// All independent errors are reported at once.
func NewSession(m *manifest.Manifest, opts Options) (*Session, error) {
	mods, err := loadModules(m, &opts)
	if err != nil {
		return nil, err
	}
	for i := range mods {
		if mods[i].module, err = withLibrary(mods[i].module, m.Limits.HeapBytes); err != nil {
			return nil, m.Errorf(m.Modules[i].Path, "%w", err)
		}
	}
	data, err := dataInputs(m)
	if err != nil {
		return nil, err
	}
	byModule, texts := map[*manifest.Module]*ir.Module{}, map[*manifest.Module][]byte{}
	var inputs []Input
	narrow := func(f files) bool { return f.module.AddressSize == 32 }
	if slices.ContainsFunc(mods, narrow) {
		if err := m.Narrow(); err != nil {
			return nil, err
		}
	}
	for i, mod := range m.Modules {
		byModule[mod], texts[mod] = mods[i].module, mods[i].text()
		inputs = append(inputs, mods[i].inputs()...)
	}
	s, err := newSession(m, byModule, opts)
	if err != nil {
		return nil, err
	}
	s.Inputs, s.texts = append(inputs, data...), texts
	return s, nil
}

func newSession(m *manifest.Manifest, mods map[*manifest.Module]*ir.Module, opts Options) (*Session, error) {
	s := &Session{
		Manifest: m, Options: opts, modules: mods,
		machine:     emulator.NewMachine(opts.MaxMemoryBytes),
		planner:     &depgraph.Planner{},
		compiled:    map[*ir.Func]compiled{},
		bufferIndex: map[*manifest.Buffer]int{},
		memory:      map[*manifest.Buffer]*emulator.Buffer{},
		traffic:     opts.Mode == Memory || opts.Mode == Full,
		checking:    newChecking(opts.Check),
	}
	s.machine.Memory.Checks = opts.Check != nil && !opts.bare
	s.machine.InvertedBorrow = opts.InvertedBorrow
	if opts.bare {
		s.machine.ExternBytes = manifest.ElasticBytes
	}
	for i, b := range m.Buffers {
		s.bufferIndex[b] = i
		eb, err := s.machine.Memory.AddBuffer(b.Name, b.Base, b.Bytes, b, !b.Specified())
		if err != nil {
			return nil, m.Errorf(b.Path, "%w", err)
		}
		s.memory[b] = eb
	}
	for _, mod := range m.Modules {
		if err := s.machine.Load(mods[mod]); err != nil {
			return nil, err
		}
	}
	s.bindTextures()
	if err := s.writeSymbols(); err != nil {
		return nil, err
	}
	return s, s.planLaunches()
}

// planLaunches resolves every launch's kernel and packs its arguments.
func (s *Session) planLaunches() error {
	errs := strictjson.List{File: s.Manifest.File}
	s.byLaunch = map[*manifest.Launch]*launchPlan{}
	for step := range s.Manifest.All() {
		if step.Launch == nil {
			s.steps = append(s.steps, planStep{host: step})
			continue
		}
		first, again := s.byLaunch[step.Launch]
		p := &launchPlan{}
		if again {
			*p = *first
		} else {
			var err error
			if p, err = s.planLaunch(step.Launch); err != nil {
				errs.Add(err)
				continue
			}
			s.byLaunch[step.Launch] = p
		}
		if s.Unsimulated == nil && !again {
			s.Unsimulated = p.unsimulated()
		}
		s.LargestCluster = max(s.LargestCluster, int(p.clusterSize()))
		p.index, p.number = len(s.launches), len(s.launches)
		s.launches = append(s.launches, p)
		s.steps = append(s.steps, planStep{launch: p})
	}
	return errs.Err()
}

func (s *Session) planLaunch(l *manifest.Launch) (*launchPlan, error) {
	m := s.Manifest
	mod := s.modules[l.Module]
	k, err := kernelOf(mod, l.Kernel)
	if err != nil {
		return nil, m.Errorf(l.Path+".kernel", "%w", err)
	}
	if err := refusal(k); err != nil {
		return nil, m.Errorf(l.Path+".kernel", "%w", err)
	}
	p := &launchPlan{launch: l, kernel: k}
	shape, err := p.inClusters(m)
	if err != nil {
		return nil, err
	}
	limits := manifest.LimitsFor(mod.Target.SM, true)
	err = m.CheckLaunch(shape, limits)
	if wrong := checkThreads(p.kernel, l.Block); err == nil && wrong != nil {
		err = m.Errorf(l.Path+".block", "%w", wrong)
	}
	var wrong error
	if p.block, wrong = m.PackArgs(l, Params(p.kernel), resolver{s}); err != nil || wrong != nil {
		return nil, errors.Join(err, wrong)
	}
	for a := range 3 {
		p.grid[a], p.cta[a], p.cluster[a] = uint32(shape.Grid[a]), uint32(shape.Block[a]), uint32(shape.Cluster[a])
	}
	if err := p.checkSize(m); err != nil {
		return nil, err
	}
	p.dep = s.depLaunch(p)
	p.assumed = l.AssumedGrid || l.AssumedBlock || len(p.block.Structs) > 0
	return p, nil
}

// checkThreads holds a block against .reqntid and .maxntid (PTX ISA 11.4).
func checkThreads(k *ir.Func, block [3]int) error {
	req, maxi := k.ReqNTID, k.MaxNTID
	if req != [3]int{} && block != req {
		return fmt.Errorf("kernel %s needs a block of exactly %v (.reqntid), not %v", k.Name, req, block)
	}
	if maxi != [3]int{} {
		if n, most := block[0]*block[1]*block[2], maxi[0]*maxi[1]*maxi[2]; n > most {
			return fmt.Errorf("kernel %s allows %d threads (.maxntid), not %d", k.Name, most, n)
		}
	}
	return nil
}

// depLaunch describes a launch to depgraph.
func (s *Session) depLaunch(p *launchPlan) *depgraph.Launch {
	d := &depgraph.Launch{Kernel: p.kernel, Bound: s.bound}
	d.Consts = fold.Consts{Params: p.block.Data, Known: make([]bool, len(p.block.Data)), NTID: p.cta, NCTAID: p.grid, Cluster: p.cluster}
	for i := range d.Consts.Known {
		d.Consts.Known[i] = true
	}
	// What was assumed is no constant: decisions on it are to be counted.
	for _, r := range p.block.Assumed {
		clear(d.Consts.Known[r[0]:r[1]])
	}
	for _, q := range p.block.Pointers {
		arg := depgraph.PointerArg{ParamOffset: q.At, Buffer: s.bufferIndex[q.Buffer], Offset: q.Offset}
		if !q.Buffer.Elastic {
			arg.Address, arg.Bytes = int64(q.Buffer.Base), q.Buffer.Bytes
		}
		d.Pointers = append(d.Pointers, arg)
	}
	for _, q := range p.block.Handles {
		d.Pointers = append(d.Pointers, depgraph.PointerArg{ParamOffset: q.At, Buffer: s.bufferIndex[q.Buffer], Handle: true})
	}
	return d
}

// Params describes a kernel's parameters to package manifest.
func Params(k *ir.Func) []manifest.Param {
	var ps []manifest.Param
	for _, f := range k.Params {
		v := f.Var
		count := 0
		if v.Count > 1 {
			count = v.Count
		}
		ps = append(ps, manifest.Param{
			Name: v.Name, Bytes: int(v.Bytes), Align: v.Align, Type: v.Type.String()[1:], Count: count, Pointer: v.Pointer,
		})
	}
	return ps
}

// Demangle returns a C++ name as the source had it, or the name itself.
func Demangle(name string) string { return demangle.Filter(name) }
