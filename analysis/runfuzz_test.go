package analysis

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hyptx/internal/guard"
	"hyptx/internal/manifest"
	"hyptx/internal/source"
	"hyptx/parser"
)

// What a mutant may take. A launch that ends by one of the first four is as good as one
// that ends; the others are there for a run that keeps none of them. The fuzzer, whose
// instructions that count make all slower, takes a text for hung after ten seconds.
const (
	mutantInstructions = 200_000
	mutantMemory       = 64 << 20
	mutantLaunch       = 2 * time.Second
	mutantText         = 6 * time.Second
	mutantHangs        = 3 * time.Minute // processors may be busy with other things
	mutantProcess      = 4 << 30
)

// FuzzRun: no text that is read, and nothing that its instructions do, makes a run panic,
// hang or take more memory than it may; and what the slice counts is what full emulation
// counts. A text is run as the fuzzer has it, or, with a seed, after some of its words
// were exchanged for others that may stand there, so that most of it is still PTX.
func FuzzRun(f *testing.F) {
	files, every := runnable(f), 1
	if flag.Lookup("test.fuzz").Value.String() == "" {
		every = 40 // the tests of the samples run them all
	}
	for i, text := range files {
		if i%every == 0 {
			f.Add(text, uint64(i))
		}
	}
	bounded := sync.OnceFunc(func() {
		go guard.Memory(context.Background(), mutantProcess, func() { panic("more memory than a run may take") })
	})
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		bounded()
		if seed != 0 {
			text = mutant(text, rand.New(rand.NewPCG(seed, 7)))
		}
		runMutant(t, text, seed)
	})
}

// TestRunMutants is FuzzRun with some mutants of each sample, and of as many random
// programs, whose threads go different ways; HYPTX_MUTANTS says how many.
func TestRunMutants(t *testing.T) {
	files, each := runnable(t), 4
	for i := range files {
		files = append(files, randomProgram(uint64(i)).ptx)
	}
	if testing.Short() {
		each = 1
	}
	if n, err := strconv.Atoi(os.Getenv("HYPTX_MUTANTS")); err == nil {
		each = n
	}
	for i, text := range files {
		for k := range each {
			seed := uint64(i*each + k + 1)
			runMutant(t, mutant(text, rand.New(rand.NewPCG(seed, 7))), seed)
		}
	}
}

// TestFound: what mutants have found.
func TestFound(t *testing.T) {
	const head = `.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
.reg .pred %p; .reg .b16 %h; .reg .b32 %r<8>; .reg .b64 %d<3>; .reg .b128 %q; .shared .align 16 .b8 sh[512];
mov.u32 %r1, %tid.x; ld.param.u64 %d1, [a]; mov.b64 %d2, 0; mov.b128 %q, {%d2, %d2}; setp.eq.u32 %p, %r1, 0; mov.u16 %h, 1;
`
	for _, body := range slices.Concat(noResults, []string{
		// the number of a parameter's address is another place in shared memory
		"ld.param.u32 %r5, [n]; mov.u64 %d1, a; ld.shared.u32 %r4, [%d1+8]; setp.gt.s32 %p, %r4, 9; @%p ret; add.u32 %r1, %r1, 1;",
		// the address of a function is an operand like others
		"div.u64 %d1, %d1, k; add.u64 %d2, k, %d1; mul.lo.u64 %d1, %d2, k; selp.b64 %d2, k, %d1, %p;",
		// a bulk copy onto an mbarrier object, whose place is the number of a parameter's address
		"mov.u32 %r2, sh; mov.u32 %r3, n; @%p mbarrier.init.shared.b64 [%r3], 1; bar.sync 0; " +
			"@%p mbarrier.arrive.expect_tx.shared.b64 %d2, [%r3], 128; " +
			"@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d1], 128, [%r3]; " +
			"mbarrier.try_wait.parity.shared.b64 %p, [%r3], 0; @!%p mov.u32 %r4, 5;",
		// a store that order sends to where no memory is
		"st.global.u32 [%d1], %r1; ld.global.u32 %r2, [%d1+4]; st.global.u32 [%r2], %r2;",
	}) {
		text := head + body + "\nret;\n}\n"
		runMutant(t, text, 0)
		runAs(t, text, manifest.Flags{Grid: []int{2}, Block: []int{40}, Args: []string{"n=77"}}, 1)
	}
	// a loop whose rounds are alike, left by a branch to a label at the end of the body: there is no
	// block, or that of another function
	loop := "L: setp.ge.u32 %p, %r1, 7777; @%p bra END; ld.global.u32 %r2, [%d1]; add.u32 %r1, %r1, 7; bra L; END:\n}\n"
	for _, text := range []string{
		head + loop,
		head + loop + ".func f() { ret; }\n",
	} {
		runAs(t, text, manifest.Flags{Grid: []int{2}, Block: []int{40}, Args: []string{"n=77"}}, 1)
	}
}

// noResults are instructions whose result _ takes.
var noResults = []string{
	"mov.b32 _, %r1;", "add.cc.u32 _, %r1, 1; addc.u32 %r2, 0, 0;", "mov.b64 _, %d1;", "mov.b128 _, %q;",
	"mov.u32 _, %tid.x;", "mov.u32 _, %clock;", "mov.b32 _, {%h, %h};", "mov.b128 _, {%d1, %d1};", "cvta.global.u64 _, %d1;",
	"selp.b32 _, %r1, %r1, %p;", "mul.wide.u32 _, %r1, 3;", "vadd.u32.u32.u32 _, %r1, %r1;", "bar.red.popc.u32 _, 0, %p;",
	"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {_, %r2, %r3, %r4}, {%r1, %r1}, {%r1}, {%r1, %r1, %r1, %r1};",
	"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {_, _, _, _}, {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1}, " +
		"{%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1}, {%r1, %r1, %r1, %r1};",
	"sqrt.rn.f64 _, 0d0000000000000000;", "mad.lo.cc.u32 _, %r1, %r1, %r1;", "movmatrix.sync.aligned.m8n8.trans.b16 _, %r1;",
	"shfl.sync.idx.b32 _|%p, %r1, 0, 31, -1;", "match.all.sync.b32 _|%p, %r1, -1;", "elect.sync _|%p, -1;", "activemask.b32 _;",
	"redux.sync.add.u32 _, %r1, -1;", "lop3.or.b32 _|%p, %r1, %r1, %r1, 3, %p;", "alloca.u64 _, 16;", "stacksave.u64 _;",
	"createpolicy.fractional.L2::evict_last.b64 _, 1.0;", "getctarank.shared::cluster.u32 _, sh;",
	"atom.shared.add.u32 _, [sh], 1;", "ld.shared.b128 _, [sh];", "mov.b64 {%r2, _}, %d1;", "vote.sync.ballot.b32 _, %p, -1;",
}

// runMutant runs a text as its seed says, with a grid and a block or without.
func runMutant(t *testing.T, text string, seed uint64) {
	t.Helper()
	var flags manifest.Flags
	if seed%3 > 0 {
		flags.Grid, flags.Block = []int{int(seed%3) + 1}, []int{40}
	}
	runAs(t, text, flags, seed)
}

// runAs profiles all kernels of a text in control mode, beside full emulation, and in
// memory mode.
func runAs(t *testing.T, text string, flags manifest.Flags, seed uint64) {
	t.Helper()
	hangs := time.AfterFunc(mutantHangs, func() { panic("hangs:\n" + text) })
	defer hangs.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), mutantText)
	defer cancel()
	opts := DefaultOptions()
	opts.MaxInstructions, opts.MaxMemoryBytes, opts.LaunchTimeout = mutantInstructions, mutantMemory, mutantLaunch
	if seed%2 == 0 {
		opts.Lenient = func(parser.ErrorList) {}
	}
	for _, opts.Mode = range []Mode{Control, Memory} {
		opts.Verify = opts.Mode == Control
		sessions, err := OpenBare(ctx, source.File{Name: "k.ptx", Text: []byte(text)}, flags, opts)
		if err != nil && len(sessions) == 0 {
			return
		}
		_, err = ProfileAll(ctx, sessions)
		if differs := (*mismatchError)(nil); errors.As(err, &differs) {
			t.Fatalf("seed %d, %s: %v\n%s", seed, opts.Mode, err, text)
		}
	}
}

// runnable returns the texts of the samples of single instructions and of small kernels.
func runnable(tb testing.TB) (texts []string) {
	tb.Helper()
	for _, glob := range []string{"../ptx-samples/features/*.ptx", "../testdata/*.ptx", "../examples/*.ptx"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			tb.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				tb.Fatal(err)
			}
			if len(text) < 16<<10 {
				texts = append(texts, string(text))
			}
		}
	}
	if len(texts) < 500 {
		tb.Fatalf("only %d samples", len(texts))
	}
	return texts
}

// An operand is a register, a number, or a name; an opcode, which begins a statement, is
// mostly left alone.
var (
	operand = regexp.MustCompile(`[ ,\[{(@!-]%?[a-zA-Z_0-9]+`)
	opcode  = regexp.MustCompile(`\.[a-z0-9_:]+`)
	comment = regexp.MustCompile(`//[^\n]*`)
)

// special are numbers at which arithmetic, addresses and counts change their ways.
var special = []string{"0", "1", "31", "32", "33", "64", "255", "256", "65536", "0x7fffffff", "0x80000000", "0xffffffff", "-1"}

// mutant exchanges some words of a text for others of their kind, and leaves out, repeats
// or exchanges some of its lines.
func mutant(text string, rng *rand.Rand) string {
	text = comment.ReplaceAllString(text, "")
	for range 1 + rng.IntN(4) {
		if rng.IntN(4) == 0 {
			text = mutantLines(text, rng)
		} else {
			text = mutantWord(text, rng)
		}
	}
	return text
}

// mutantWord exchanges an operand behind the header, or at times a modifier, for another.
func mutantWord(text string, rng *rand.Rand) string {
	word := operand
	if rng.IntN(8) == 0 {
		word = opcode
	}
	places := word.FindAllStringIndex(text, -1)
	if len(places) < 8 {
		return text
	}
	at := places[6+rng.IntN(len(places)-6)]
	old := text[at[0]+1 : at[1]]
	number := old[0] >= '0' && old[0] <= '9'
	var kind []string
	if number {
		kind = slices.Clone(special)
	}
	for _, p := range places {
		if w := text[p[0]+1 : p[1]]; w != old && (w[0] >= '0' && w[0] <= '9') == number && (w[0] == '%') == (old[0] == '%') {
			kind = append(kind, w)
		}
	}
	if len(kind) == 0 {
		return text
	}
	return text[:at[0]+1] + kind[rng.IntN(len(kind))] + text[at[1]:]
}

// mutantLines leaves out, repeats or exchanges lines.
func mutantLines(text string, rng *rand.Rand) string {
	lines := strings.SplitAfter(text, "\n")
	if len(lines) < 8 {
		return text
	}
	i, k := 4+rng.IntN(len(lines)-4), 4+rng.IntN(len(lines)-4)
	switch rng.IntN(3) {
	case 0:
		lines = slices.Delete(lines, i, i+1)
	case 1:
		lines = slices.Insert(lines, k, lines[i])
	default:
		lines[i], lines[k] = lines[k], lines[i]
	}
	return strings.Join(lines, "")
}
