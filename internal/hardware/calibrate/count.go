package calibrate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/source"
	"hyptx/power"
)

// Count is what one launch does, by emulation of its text.
type Count struct {
	// Work are the operations of each part, by its name: multiply-adds are two,
	// a stream's are bytes.
	Work map[string]float64
	// Instructions are those of threads, PartInstructions those of the parts
	// that Work counts.
	Instructions, PartInstructions float64
	// Launch has the events of the power model; its row is that of the launch
	// that was emulated, with this launch's grid and instructions.
	Launch *power.Launch
}

// Counting. A measured launch runs for a tenth of a second on all SMs; emulating
// it would take minutes. But all turns of its loop do the same, and so do all
// CTAs. So the same text is emulated at two small numbers of turns on four SMs;
// the difference is what a turn does, the rest is what stands around the loop,
// and both are exact. A test holds the count of a long loop by extension against
// that by emulation.
//
// Memory needs care: a stream that is longer than the L2 writes to DRAM what it
// wrote, a short one keeps it. So for streams the emulated GPU has an L2 that
// the short stream fills at once.

// Counter counts what launches do on a GPU, and keeps what it has counted.
type Counter struct {
	GPU *gpu.GPU
	// Caches says whether the GPU's caches are known well enough to be modelled.
	Caches bool

	done map[Setup]*[2]*Count
}

// Turns of the loop, and SMs, that are emulated.
const (
	fewTurns, moreTurns = 2, 4
	countedSMs          = 4
)

// NewCounter returns a counter for a GPU.
func NewCounter(g *gpu.GPU) *Counter {
	_, l2 := g.L2Shape()
	_, l1 := g.L1Shape(0)
	known := l1 == nil && l2 == nil && g.DRAM.Channels.Known() && g.L1.WritePolicy.Known() && g.L2.WritePolicy.Known() && g.L1.CachesGlobal.Known()
	return &Counter{GPU: g, Caches: known, done: map[Setup]*[2]*Count{}}
}

// Count counts a launch.
func (c *Counter) Count(ctx context.Context, s Setup) (*Count, error) {
	b, err := Lookup(s.Benchmark)
	if err != nil {
		return nil, err
	}
	small := c.small(b, s)
	two := c.done[small]
	if two == nil {
		two = &[2]*Count{}
		for i, turns := range []int{fewTurns, moreTurns} {
			small.Iterations = turns
			if two[i], err = c.emulate(ctx, b, small); err != nil {
				return nil, fmt.Errorf("counting %s: %w", b.Name, err)
			}
		}
		small.Iterations = 0
		c.done[small] = two
	}
	return extend(two, s, float64(s.Grid)/float64(small.Grid)), nil
}

// small is the launch that is emulated instead: the same CTAs on fewer SMs.
func (c *Counter) small(b *Benchmark, s Setup) Setup {
	s.Iterations = 0
	if perSM := b.CTAsPerSM; s.Block == b.Block {
		s.Grid = min(s.Grid, countedSMs*perSM)
	} else {
		s.Grid = min(s.Grid, countedSMs)
	}
	if b.Stream { // never at its end
		s.Bytes = streamBytes(1, s.threads()) * (moreTurns + 1)
	}
	return s
}

// counted is the GPU as the emulated launch needs it: fewer SMs, and for a
// stream an L2 that it fills at once, as the real one is filled by the real
// stream.
func (c *Counter) counted(b *Benchmark) []*gpu.GPU {
	if !c.Caches {
		return nil
	}
	g := *c.GPU
	g.SMs = &gpu.Int{Value: countedSMs, Source: "counting"}
	if b.Stream {
		shape, _ := g.L2Shape() // known, see NewCounter
		const ways = 1
		lines := min(streamBytes(1, countedSMs*b.CTAsPerSM*b.Block)/8, int64(shape.Bytes/shape.Ways)) / int64(shape.LineBytes)
		g.L2.Bytes, g.L2.Ways = &gpu.Int{Value: int(lines) * shape.LineBytes * ways, Source: "counting"}, &gpu.Int{Value: ways, Source: "counting"}
	}
	return []*gpu.GPU{&g}
}

// emulate counts a small launch.
func (c *Counter) emulate(ctx context.Context, b *Benchmark, s Setup) (*Count, error) {
	dir, err := os.MkdirTemp("", "hyptx-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file, err := s.Emit(dir)
	if err != nil {
		return nil, err
	}
	src, err := source.Read(file, nil)
	if err != nil {
		return nil, err
	}
	opts := analysis.DefaultOptions()
	opts.Mode, opts.Launch, opts.PerInstruction, opts.GPUs = analysis.Memory, mainKernel, true, c.counted(b)
	session, err := analysis.OpenManifest(src, opts)
	if err != nil {
		return nil, err
	}
	p, err := analysis.ProfileAll(ctx, []*analysis.Session{session})
	if err != nil {
		return nil, err
	}
	return count(b, s.CC, p)
}

// count reads a profile.
func count(b *Benchmark, cc int, p *analysis.Profile) (*Count, error) {
	launches, err := power.FromProfile(p, power.CountsPTX, power.Paper)
	if err != nil {
		return nil, err
	}
	if len(launches) != 1 {
		return nil, errors.New("BUG: one launch was expected")
	}
	parts, err := b.parts(cc)
	if err != nil {
		return nil, err
	}
	text, err := b.PTX(cc)
	if err != nil {
		return nil, err
	}
	c := &Count{Work: map[string]float64{}, Launch: launches[0], Instructions: launches[0].Facts.X(analysis.ThreadInstructions)}
	first, last := loopLines(text)
	for _, in := range p.PerInstruction() {
		for _, part := range parts {
			if in.PTXLine > first && in.PTXLine < last && part.does(in.Text.String()) {
				c.Work[part.name] += part.each * float64(in.PredOnExecutions)
				c.PartInstructions += float64(in.PredOnExecutions)
			}
		}
	}
	return c, nil
}

// loopLines are the lines of the loop's label and of its branch back.
func loopLines(text string) (first, last int) {
	for i, l := range strings.Split(text, "\n") {
		switch {
		case l == "loop:":
			first = i + 1
		case strings.HasSuffix(l, "bra loop;"):
			last = i + 1
		}
	}
	return first, last
}

// does reports whether an instruction is the part's work: it begins so and
// names the part's registers.
func (p *usedPart) does(instruction string) bool {
	for _, w := range p.work {
		if strings.HasPrefix(instruction, w) && (p.chains == 0 || strings.Contains(instruction, p.prefix)) {
			return true
		}
	}
	return false
}

// extend goes on from two counts to as many turns as s has, on more SMs.
func extend(two *[2]*Count, s Setup, times float64) *Count {
	at := func(few, more float64) float64 {
		return times * (few + (more-few)/(moreTurns-fewTurns)*float64(s.Iterations-fewTurns))
	}
	few, more := two[0], two[1]
	c := &Count{Work: map[string]float64{}, Instructions: at(few.Instructions, more.Instructions), PartInstructions: at(few.PartInstructions, more.PartInstructions)}
	for name := range more.Work {
		c.Work[name] = at(few.Work[name], more.Work[name])
	}
	launch := *more.Launch
	launch.Grid[0] = uint32(s.Grid)
	launch.Facts.Set(analysis.CTAs, uint64(s.Grid))
	on := at(few.Launch.Facts.X(analysis.ThreadInstructionsPredOn), more.Launch.Facts.X(analysis.ThreadInstructionsPredOn))
	launch.Facts.Set(analysis.ThreadInstructionsPredOn, uint64(on))
	var list []power.InstrCount
	for i, in := range more.Launch.Instrs {
		before := few.Launch.Instrs[i]
		in.Issues, in.PredOn = uint64(at(float64(before.Issues), float64(in.Issues))), uint64(at(float64(before.PredOn), float64(in.PredOn)))
		list = append(list, in.InstrCount)
	}
	launch.Executed = power.Execute(list, power.Paper)
	for i := range launch.Memory {
		launch.Memory[i] = max(at(few.Launch.Memory[i], more.Launch.Memory[i]), 0)
	}
	c.Launch = &launch
	return c
}
