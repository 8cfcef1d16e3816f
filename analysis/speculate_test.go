package analysis

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
)

// outputsOf runs a program with a number of workers and returns its outputs.
func outputsOf(t *testing.T, p program, jobs int) []Output {
	t.Helper()
	opts := DefaultOptions()
	opts.Jobs = jobs
	s, err := OpenManifest(p.source(t, t.TempDir()), opts)
	if err != nil {
		t.Fatal(err)
	}
	outs, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return outs
}

// sharing is a program of many CTAs that store to one buffer as body says: %r1 is
// the CTA, %d1 the buffer.
func sharing(body string) program {
	ptx := entry(".param .u64 a", "ld.param.u64 %d1, [a];\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d2, %d1;\n"+body+"\nret;")
	m := launch(200, 32, `"a": {"bytes": 1024, "type": "u32", "init": "zero"}`, `{"buffer": "a"}`)
	return program{ptx, strings.TrimSuffix(m, "}") + `, "outputs": ["a"]}`}
}

// TestOrderIsNotJobs holds what programs leave in memory whose CTAs meet there,
// though nobody can see that from their text, against what the schedule says: CTAs
// one after the other. What it says is worked out by hand for each.
func TestOrderIsNotJobs(t *testing.T) {
	spin := "mov.u32 %r9, 0;\nLP:\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, 3000;\n@%p1 bra LP;\n"
	for name, c := range map[string]struct {
		body string
		want func(i int) uint64
	}{
		"all store to one word": {"setp.eq.u32 %p2, %r1, 0;\n@!%p2 bra ST;\n" + spin + "ST:\nst.global.u32 [%d1], %r1;",
			func(i int) uint64 { return map[bool]uint64{true: 199}[i == 0] }},
		"each adds to what the one before stored": {"ld.global.u32 %r2, [%d2];\nadd.u32 %r2, %r2, 3;\nst.global.u32 [%d2+4], %r2;",
			func(i int) uint64 { return uint64(3*min(i, 200)) * map[bool]uint64{true: 1}[i <= 200] }},
		"each stores to its own": {"st.global.u32 [%d2], %r1;",
			func(i int) uint64 { return uint64(i) * map[bool]uint64{true: 1}[i < 200] }},
		"each reads its own and stores a byte": {"ld.global.u8 %r2, [%d2];\nadd.u32 %r2, %r2, %r1;\nst.global.u8 [%d2+1], %r2;",
			func(i int) uint64 { return uint64(i) << 8 * map[bool]uint64{true: 1}[i < 200] }},
		"two neighbours store to one word": {"and.b32 %r3, %r1, 254;\nmul.wide.u32 %d3, %r3, 4;\nadd.u64 %d3, %d3, %d1;\nst.global.u32 [%d3], %r1;",
			func(i int) uint64 { return uint64(i+1) * map[bool]uint64{true: 1}[i < 200 && i%2 == 0] }},
	} {
		p := sharing(c.body)
		for _, jobs := range []int{1, 2, 5} {
			o := outputsOf(t, p, jobs)[0]
			for i := range 256 {
				if got, want := o.Bits(i), c.want(i); i < o.Len() && got != want {
					t.Errorf("%s, %d jobs: word %d is %d, by hand %d", name, jobs, i, got, want)
					break
				}
			}
		}
	}
}

// TestRandomOrderIsNotJobs holds the outputs and the full profiles of random
// programs with several workers against those with one.
func TestRandomOrderIsNotJobs(t *testing.T) {
	n := uint64(300)
	if testing.Short() {
		n /= 10
	}
	for seed := range n {
		p := randomProgram(5000 + seed)
		var first []Output
		var counts string
		for _, jobs := range []int{1, 3} {
			opts := DefaultOptions()
			opts.Mode, opts.Jobs = Full, jobs
			s, err := OpenManifest(p.source(t, t.TempDir()), opts)
			if err != nil {
				t.Fatal(err)
			}
			prof, err := s.Profile(context.Background())
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			var rows strings.Builder
			for _, r := range prof.Rows {
				fmt.Fprintln(&rows, *r)
			}
			outs := outputsOf(t, p, jobs)
			if jobs == 1 {
				first, counts = outs, rows.String()
				continue
			}
			if rows.String() != counts {
				t.Fatalf("seed %d: rows with %d jobs:\n%s\nwith one:\n%s", seed, jobs, rows.String(), counts)
			}
			for i := range outs {
				if !bytes.Equal(outs[i].Data, first[i].Data) {
					t.Fatalf("seed %d: output %s differs between 1 and %d jobs\n%s", seed, outs[i].Name, jobs, numbered(p.ptx))
				}
			}
		}
	}
}
