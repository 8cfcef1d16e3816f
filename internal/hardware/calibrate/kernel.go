package calibrate

import (
	"fmt"
	"slices"
	"strings"
)

// The text of a benchmark. A GPU is measured by a loop that does one thing as
// often as possible, and a compiler's whole art is to do such loops faster than
// they say. So the loop is written for its distrust.
//
// A loop holds several chains, each of which needs its own last result, so that
// nothing can be dropped or run ahead, and there are enough chains to hide the
// latency of one. Sums and products run over pairs (x = x + y, y = y + x),
// because x + p + p would become one instruction of three operands. Constants
// stand in registers that differ by lane as far as the compiler can tell; else
// they would become immediates, or move to the data path that all lanes share.
// The results are stored if a parameter is not zero, which only the host knows.
// Values stay bounded and keep changing, and data are random: what does not
// toggle draws less power.
//
// Each CTA stores the number of the SM that it ran on, so that a sweep over
// active SMs knows how many there were.

// The names of a benchmark's kernels.
const (
	mainKernel    = "measured"
	prepareKernel = "prepare"
)

// mostRegisters a thread let 1024 threads fit on an SM, in one CTA or several.
const mostRegisters = 64

// kernelParams are the parameters of the measured kernel, in order.
const kernelParams = ".param .u64 out, .param .u64 data, .param .u32 iterations, .param .u32 lanes, .param .u32 zero, .param .u32 mask, .param .u64 bytes"

// text gathers lines of PTX.
type text struct{ strings.Builder }

func (w *text) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// PTX returns the benchmark's text for a compute capability, as 90: the kernel
// that is measured and, where memory has to be filled before, "prepare".
func (b *Benchmark) PTX(cc int) (string, error) {
	parts, err := b.parts(cc)
	if err != nil {
		return "", err
	}
	w := &text{}
	version, target := targetFor(cc)
	w.line("// hyptx calibrate: %s: %s\n.version %s\n.target %s\n.address_size 64\n", b.Name, b.About, version, target)
	b.kernel(w, parts)
	if b.Ring > 0 {
		w.WriteString(prepareText)
	}
	return w.String(), nil
}

// kernel writes the measured kernel: lanes that take no part leave at once, the
// others go round the loop, and the results are stored if the parameter zero is
// not zero, which only the host knows. The first thread of each CTA stores the
// number of its SM.
func (b *Benchmark) kernel(w *text, parts []*usedPart) {
	for _, p := range parts {
		p.lines(w, p.declared(b.Block, true)) // .const variables stand outside
	}
	w.line(".visible .entry %s(%s)\n.maxnreg %d\n{", mainKernel, kernelParams, mostRegisters)
	w.line("\t.reg .b32 %%t, %%cta, %%g, %%z, %%lane, %%lanes, %%i, %%sink, %%fold, %%mask, %%threads, %%n, %%sm;\n\t.reg .f32 %%foldf;")
	w.line("\t.reg .b64 %%out, %%data, %%bytes, %%slot;\n\t.reg .pred %%off, %%more, %%keep, %%first;")
	for _, p := range parts {
		p.lines(w, p.declared(b.Block, false))
	}
	w.WriteString(prologue)
	for _, p := range parts {
		p.lines(w, p.prologue(b.Block))
	}
	w.line("loop:")
	steps(w, parts, b.Block)
	for _, p := range parts {
		p.lines(w, p.perChain(p.advance, b.Block))
	}
	w.line("\tadd.s32 %%i, %%i, -1;\n\tsetp.ne.s32 %%more, %%i, 0;\n\t@%%more bra loop;")
	for _, p := range parts {
		p.lines(w, p.perChain(p.folds(), b.Block))
	}
	w.WriteString(epilogue)
}

// The prologue reads the parameters, finds the thread's place and ends the
// threads of lanes that take no part: a sweep over lanes gives the same text
// another number.
const prologue = `	ld.param.u64 %out, [out];
	ld.param.u64 %data, [data];
	ld.param.u32 %i, [iterations];
	ld.param.u32 %lanes, [lanes];
	ld.param.u32 %z, [zero];
	ld.param.u32 %mask, [mask];
	ld.param.u64 %bytes, [bytes];
	mov.u32 %t, %tid.x;
	mov.u32 %cta, %ctaid.x;
	mov.u32 %n, %ntid.x;
	mov.u32 %threads, %nctaid.x;
	mov.u32 %lane, %laneid;
	mad.lo.u32 %g, %cta, %n, %t;
	mul.lo.u32 %threads, %threads, %n;
	setp.ne.u32 %keep, %z, 0;
	and.b32 %z, %z, %t;
	mov.u32 %sink, 0;
	mul.wide.u32 %slot, %cta, 4;
	add.u64 %slot, %slot, %out;
	setp.ge.u32 %off, %lane, %lanes;
	@%off bra done;
`

// The epilogue stores the folded results, which the compiler must take for
// possible, and the SM's number.
const epilogue = `	@%keep st.global.u32 [%slot], %sink;
done:
	setp.ne.u32 %first, %t, 0;
	@%first bra end;
	mov.u32 %sm, %smid;
	st.global.u32 [%slot], %sm;
end:
	ret;
}
`

// prepareText fills data with a ring of pointers: entry e points at the one
// that is jump further, and after the last comes the first.
const prepareText = `
.visible .entry prepare(.param .u64 data, .param .u32 mask, .param .u32 jump)
{
	.reg .b32 %t, %cta, %n, %e, %mask, %jump;
	.reg .b64 %data, %at, %to;
	.reg .pred %off;
	ld.param.u64 %data, [data];
	ld.param.u32 %mask, [mask];
	ld.param.u32 %jump, [jump];
	mov.u32 %t, %tid.x;
	mov.u32 %cta, %ctaid.x;
	mov.u32 %n, %ntid.x;
	mad.lo.u32 %e, %cta, %n, %t;
	setp.gt.u32 %off, %e, %mask;
	@%off bra end;
	mad.wide.u32 %at, %e, 8, %data;
	add.u32 %e, %e, %jump;
	and.b32 %e, %e, %mask;
	mad.wide.u32 %to, %e, 8, %data;
	st.global.u64 [%at], %to;
end:
	ret;
}
`

// usedPart is a part in a benchmark: its names begin with prefix, and it does
// so many steps a turn of the loop.
type usedPart struct {
	*part
	prefix string
	steps  int
}

// lines writes lines of code; labels stand at the margin.
func (p *usedPart) lines(w *text, list []string) {
	for _, l := range list {
		if strings.HasSuffix(l, ":") || strings.HasPrefix(l, ".visible .const") {
			w.line("%s", l)
		} else {
			w.line("\t%s", l)
		}
	}
}

// fill puts names into templates, for one chain and step.
func (p *usedPart) fill(list []string, chain, step, block int) (out []string) {
	names := p.names(p.prefix, chain, step, block)
	for _, l := range list {
		out = append(out, names.Replace(l))
	}
	return out
}

func (p *usedPart) perChain(list []string, block int) (out []string) {
	for i := range max(p.chains, 1) {
		out = append(out, p.fill(list, i, 0, block)...)
	}
	return out
}

// declared are the part's variables: the constants, which stand outside of the
// kernel, or those inside.
func (p *usedPart) declared(block int, outside bool) (out []string) {
	for _, l := range p.fill(slices.Concat(registers[p.reg].declare, p.declare), 0, 0, block) {
		if strings.HasPrefix(l, ".visible .const") == outside {
			out = append(out, l)
		}
	}
	return out
}

// prologue is what comes before the loop: constants, then the chains' starts.
func (p *usedPart) prologue(block int) (out []string) {
	r := registers[p.reg]
	for _, c := range []struct {
		name  string
		value float64
	}{{"p", p.p}, {"q", p.q}} {
		if c.value == 0 {
			continue
		}
		set := strings.NewReplacer("{c}", p.prefix+c.name, "{value}", literal(p.reg, c.value))
		for _, l := range p.fill(r.constant, 0, 0, block) {
			out = append(out, set.Replace(l))
		}
	}
	out = append(out, p.fill(p.once, 0, 0, block)...)
	if p.chains == 0 {
		return out
	}
	return append(out, p.perChain(slices.Concat(r.start, p.start), block)...)
}

func (p *usedPart) folds() []string {
	switch {
	case p.chains == 0:
		return nil
	case len(p.fold) > 0:
		return p.fold
	}
	return registers[p.reg].fold
}

// steps writes the loop's body: the parts' steps are spread evenly, so that the
// units work at the same time.
func steps(w *text, parts []*usedPart, block int) {
	most := 0
	for _, p := range parts {
		most = max(most, p.steps)
	}
	done := make([]int, len(parts))
	for turn := range most {
		for n, p := range parts {
			for done[n]*most < p.steps*(turn+1) {
				k := done[n]
				chains := max(p.chains, 1)
				round := p.rounds[k/chains%len(p.rounds)]
				p.lines(w, p.fill(round, k%chains, k, block))
				done[n]++
			}
		}
	}
}
