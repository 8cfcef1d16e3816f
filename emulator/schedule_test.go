package emulator_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"hyptx/emulator"
	"hyptx/ir"
	"hyptx/parser"
)

// outBase is where the tests' memory lies.
const outBase = 0x7f0000000000

func lower(ptx string) (*ir.Module, error) {
	tree, err := parser.Parse("test.ptx", []byte(ptx))
	if err != nil {
		return nil, err
	}
	return ir.Lower(tree)
}

// run launches kernel k(out, n) of a module.
func run(t testing.TB, ptx string, bytes int64, n uint32, cfg emulator.LaunchConfig) (*emulator.Result, error) {
	t.Helper()
	l := load(t, ptx, bytes, n)
	return l.launch(cfg)
}

// loaded is a module whose kernel k(out, n) is ready for launches.
type loaded struct {
	machine *emulator.Machine
	buffer  *emulator.Buffer
	prog    *emulator.Program
	params  []byte
}

func load(t testing.TB, ptx string, bytes int64, n uint32) *loaded {
	t.Helper()
	m, err := lower(ptx)
	if err != nil {
		t.Fatal(err)
	}
	l := &loaded{machine: emulator.NewMachine(1 << 30), params: make([]byte, 12)}
	binary.LittleEndian.PutUint64(l.params, outBase)
	binary.LittleEndian.PutUint32(l.params[8:], n)
	if l.buffer, err = l.machine.Memory.AddBuffer("out", outBase, bytes, nil, false); err != nil {
		t.Fatal(err)
	}
	if err := l.machine.Load(m); err != nil {
		t.Fatal(err)
	}
	if l.prog, err = l.machine.Compile(t.Context(), m.Func("k"), emulator.Options{}); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *loaded) launch(cfg emulator.LaunchConfig) (*emulator.Result, error) {
	cfg.Params, cfg.StackBytes = l.params, 4096
	if cfg.MaxInstructions == 0 {
		cfg.MaxInstructions = 1 << 30
	}
	return l.machine.Launch(context.Background(), l.prog, cfg)
}

// asked counts how often somebody looks whether it has ended.
type asked struct {
	context.Context
	times atomic.Int64
}

func (a *asked) Err() error {
	a.times.Add(1)
	return a.Context.Err()
}

// TestLooksForTheEnd: a launch looks whether it is to stop before each CTA, and within
// one at least once for 262,144 warp instructions, however fast they are; a worker
// that looks hears of it there and then.
func TestLooksForTheEnd(t *testing.T) {
	const ptx = `.version 8.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %r<3>;
	.reg .pred %p;
	ld.param.u32 %r1, [n];
L:	sub.u32 %r1, %r1, 1;
	xor.b32 %r2, %r2, %r1;
	setp.ne.u32 %p, %r1, 0;
	@%p bra L;
	ret;
}
`
	const rounds = 1 << 20
	l := load(t, ptx, 4, rounds)
	cfg := emulator.LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Workers: 1, Params: l.params, MaxInstructions: 1 << 30}
	long := &asked{Context: t.Context()}
	if _, err := l.machine.Launch(long, l.prog, cfg); err != nil {
		t.Fatal(err)
	}
	if n, want := long.times.Load(), int64(4*rounds/(1<<18)); n < want {
		t.Errorf("asked %d times in %d warp instructions, at least %d are wanted", n, 4*rounds, want)
	}
	binary.LittleEndian.PutUint32(l.params[8:], 1)
	cfg.Grid[0] = 1000
	short := &asked{Context: t.Context()}
	if _, err := l.machine.Launch(short, l.prog, cfg); err != nil || short.times.Load() < 1000 {
		t.Errorf("asked %d times in 1000 CTAs: %v", short.times.Load(), err)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errStopped)
	if _, err := l.machine.Launch(ended, l.prog, cfg); !errors.Is(err, errStopped) {
		t.Errorf("a launch that has ended before it begins: %v", err)
	}
}

var errStopped = errors.New("stopped")

// TestWorkersFault: of several faulty CTAs the lowest one is named.
func TestWorkersFault(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const ptx = `.version 8.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %r<3>;
	.reg .pred %p;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	setp.ge.u32 %p, %r2, %r1;
	@%p trap;
	ret;
}
`
	for _, workers := range []int{1, 4} {
		_, err := run(t, ptx, 4, 3, emulator.LaunchConfig{Grid: [3]uint32{64, 1, 1}, Block: [3]uint32{32, 1, 1}, Workers: workers})
		var fault *emulator.Fault
		if !errors.As(err, &fault) || fault.CTA != [3]uint32{3, 0, 0} || fault.Line != 11 {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

// busy does a bit of everything: n rounds in which warps split, meet at
// barriers, call, recur and use memory; in the end all threads exit from
// within a function.
const busy = `.version 8.3
.target sm_70
.address_size 64
.shared .align 4 .b8 box[512];
.func (.param .b32 y) depth(.param .b32 x)
{
	.reg .b32 %r<3>;
	.reg .pred %p;
	.local .align 4 .b8 stack[16];
	ld.param.u32 %r1, [x];
	st.local.u32 [stack], %r1;
	setp.eq.u32 %p, %r1, 0;
	@%p bra END;
	sub.u32 %r2, %r1, 1;
	{
	.param .b32 a, b;
	st.param.b32 [a], %r2;
	call (b), depth, (a);
	}
END:
	ld.local.u32 %r1, [stack];
	st.param.b32 [y], %r1;
	ret;
}
.func quit(.param .b32 x)
{
	.reg .b32 %r<2>;
	.reg .pred %p;
	ld.param.u32 %r1, [x];
	setp.lt.u32 %p, %r1, 7;
	@%p exit;
	exit;
}
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %r<9>;
	.reg .b64 %d<3>;
	.reg .pred %p<4>;
	ld.param.u64 %d1, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, box;
	shl.b32 %r4, %r2, 2;
	add.u32 %r3, %r3, %r4;
ROUND:
	and.b32 %r5, %r2, 3;
T:	.branchtargets A, B, C, D;
	brx.idx %r5, T;
A:	st.shared.u32 [%r3], %r1;
	bra D;
B:	ld.shared.u32 %r6, [%r3];
C:	atom.global.add.u32 %r7, [%d1], 1;
D:
	bar.sync 0;
	shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1;
	{
	.param .b32 a, b;
	st.param.b32 [a], %r5;
	call (b), depth, (a);
	ld.param.b32 %r8, [b];
	}
	sub.u32 %r1, %r1, 1;
	setp.ne.u32 %p2, %r1, 0;
	@%p2 bra ROUND;
	{
	.param .b32 a;
	st.param.b32 [a], %r2;
	call quit, (a);
	}
	ret;
}
`

// TestRunAllocatesNothing: neither more rounds nor more CTAs cost memory once
// the first CTA has made what a worker needs.
func TestRunAllocatesNothing(t *testing.T) {
	allocs := func(rounds uint32, ctas uint32) float64 {
		l := load(t, busy, 4, rounds)
		return testing.AllocsPerRun(3, func() {
			if _, err := l.launch(emulator.LaunchConfig{Grid: [3]uint32{ctas, 1, 1}, Block: [3]uint32{96, 1, 1}, Workers: 1}); err != nil {
				t.Fatal(err)
			}
		})
	}
	base := allocs(3, 2)
	if n := allocs(300, 2); n > base {
		t.Errorf("%v allocations for 300 rounds, %v for 3", n, base)
	}
	if n := allocs(3, 200); n > base {
		t.Errorf("%v allocations for 200 CTAs, %v for 2", n, base)
	}
}

// TestBarrierBefore70: before sm_70 a barrier that a part of a warp executes
// counts for the whole warp, which waits with it; so the two sides of a branch
// pass two barriers, one after the other.
func TestBarrierBefore70(t *testing.T) {
	const text = `.version 6.0
.target sm_%d
.address_size 64
.shared .align 4 .b8 box[4];
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %%r<9>;
	.reg .b64 %%d<3>;
	.reg .pred %%p<4>;
	ld.param.u64 %%d1, [out];
	mov.u32 %%r1, %%tid.x;
	mov.u32 %%r3, 7;
	setp.lt.u32 %%p1, %%r1, 32;
	@%%p1 bra OTHER;
	setp.ge.u32 %%p2, %%r1, 48;
	@%%p2 bra HIGH;
	bar.sync 0;
	ld.shared.u32 %%r2, [box];
	st.global.u32 [%%d1], %%r2;
	ret;
HIGH:
	bar.sync 0;
	ld.shared.u32 %%r2, [box];
	st.global.u32 [%%d1+4], %%r2;
	ret;
OTHER:
	bar.sync 0;
	st.shared.u32 [box], %%r3;
	bar.sync 0;
	ret;
}
`
	// Before sm_70 the lower half of warp 1 passes with warp 0's first barrier
	// and the upper half with its second one, after the store. Since then both
	// halves pass the first one, and run before warp 0 goes on.
	for sm, want := range map[int][2]uint32{60: {0, 7}, 70: {0, 0}} {
		l := load(t, fmt.Sprintf(text, sm), 8, 0)
		_, err := l.launch(emulator.LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Workers: 1})
		if err != nil {
			t.Fatalf("sm_%d: %v", sm, err)
		}
		if got := l.out(t); got != want {
			t.Errorf("sm_%d: the halves read %v, not %v", sm, got, want)
		}
	}
}

// TestOrderOfPaths: behind a barrier the fall-through side of a branch goes on
// first, on every target.
func TestOrderOfPaths(t *testing.T) {
	const text = `.version 6.0
.target sm_%d
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %%r<9>;
	.reg .b64 %%d<3>;
	.reg .pred %%p<4>;
	ld.param.u64 %%d1, [out];
	mov.u32 %%r1, %%tid.x;
	setp.ge.u32 %%p1, %%r1, 32;
	@%%p1 bra OTHER;
	setp.ge.u32 %%p2, %%r1, 16;
	@%%p2 bra HIGH;
	bar.sync 0;
	atom.global.max.u32 %%r2, [%%d1+8], 1;
	st.global.u32 [%%d1], %%r2;
	ret;
HIGH:
	bar.sync 0;
	atom.global.max.u32 %%r2, [%%d1+8], 2;
	st.global.u32 [%%d1+4], %%r2;
	ret;
OTHER:
	bar.sync 0;
	bar.sync 0;
	ret;
}
`
	for _, sm := range []int{60, 70} {
		l := load(t, fmt.Sprintf(text, sm), 12, 0)
		_, err := l.launch(emulator.LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Workers: 1})
		if err != nil {
			t.Fatalf("sm_%d: %v", sm, err)
		}
		// The last lane of the lower half finds its 1, that of the upper half
		// its 2; what the first of them finds is overwritten.
		if got := l.out(t); got != [2]uint32{1, 2} {
			t.Errorf("sm_%d: the halves find %v", sm, got)
		}
	}
}

// TestLocalsBeginAsZero: what an earlier call left on the stack is not seen, or
// slices, which leave other things there, would decide otherwise.
func TestLocalsBeginAsZero(t *testing.T) {
	const ptx = `.version 8.3
.target sm_70
.address_size 64
.func (.param .b32 y) f(.param .b32 x)
{
	.reg .b32 %r<3>;
	.local .align 4 .b8 mine[4];
	ld.local.u32 %r1, [mine];
	st.param.b32 [y], %r1;
	ld.param.u32 %r2, [x];
	st.local.u32 [mine], %r2;
	ret;
}
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %r<4>;
	.reg .b64 %d<2>;
	.param .b32 a, b;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, 5;
	st.param.b32 [a], %r1;
	call (b), f, (a);
	ld.param.b32 %r2, [b];
	st.global.u32 [%d1], %r2;
	call (b), f, (a);
	ld.param.b32 %r3, [b];
	st.global.u32 [%d1+4], %r3;
	ret;
}
`
	l := load(t, ptx, 8, 0)
	if _, err := l.launch(emulator.LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if got := l.out(t); got != [2]uint32{} {
		t.Errorf("the calls read %v from fresh variables", got)
	}
}

// out reads the first two words of memory.
func (l *loaded) out(t *testing.T) (v [2]uint32) {
	t.Helper()
	b := make([]byte, 8)
	if err := l.buffer.Read(b, 0); err != nil {
		t.Fatal(err)
	}
	return [2]uint32{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
}
