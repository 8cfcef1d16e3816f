package analysis

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/check"
	"hyptx/internal/source"
)

// The kernels of checkplanted_test.go have one fault each, and each has a near-miss that
// differs from it by as little as makes it right: the last element in place of the one
// behind it, a barrier more. What is wrong with each follows from PTX ISA 8 and the
// programming guide.
//
// In the body %tN is true in thread N, %id, %lane and %cta are numbers. %b is the address
// of 4 KiB of zeros, %s that of 256 bytes of zeros, %u that of 1 KiB that nobody gives;
// sh are 1 KiB of shared memory, lo 64 bytes of local memory. What is left in %x is stored.
type checkKernel struct {
	name        string
	ctas, block int
	body        string
	want        check.Kind // "" for none
}

const (
	checkPrelude = `.version 8.0
.target sm_90a
.address_size 64
.const .align 16 .b8 co[64] = {1, 2, 3};
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry k(.param .u64 pb, .param .u64 ps, .param .u64 pu, .param .u64 pout)
{
	.reg .b16 %h<4>; .reg .b32 %x, %id, %cta, %lane, %r<16>, %never; .reg .b64 %b, %s, %u, %out, %d<8>; .reg .f32 %f<4>;
	.reg .pred %p<4>, %t0, %t1, %t32, %lo, %c0, %c1;
	.shared .align 16 .b8 sh[1024];
	.local .align 16 .b8 lo[64];
	ld.param.u64 %b, [pb];
	ld.param.u64 %s, [ps];
	ld.param.u64 %u, [pu];
	ld.param.u64 %out, [pout];
	mov.u32 %id, %tid.x;
	mov.u32 %cta, %ctaid.x;
	and.b32 %lane, %id, 31;
	setp.eq.u32 %t0, %id, 0;
	setp.eq.u32 %t1, %id, 1;
	setp.eq.u32 %t32, %id, 32;
	setp.lt.u32 %lo, %lane, 16;
	setp.eq.u32 %c0, %cta, 0;
	setp.eq.u32 %c1, %cta, 1;
	mov.u32 %x, 0;
`
	checkEnd = `
	mov.u32 %r14, %ntid.x;
	mad.lo.u32 %r15, %cta, %r14, %id;
	mul.wide.u32 %d7, %r15, 4;
	add.u64 %d7, %out, %d7;
	st.global.u32 [%d7], %x;
END:	ret;
}`
	checkManifest = `{"version": 1, "buffers": {
	"b": {"bytes": 4096, "type": "u32", "init": "zero"}, "s": {"bytes": 256, "type": "u32", "init": "zero"},
	"u": {"bytes": 1024, "type": "u32"}, "out": {"bytes": 65536, "type": "u32", "init": "zero"}},
	"launches": [{"module": "k.ptx", "kernel": "k", "grid": [%d], "block": [%d],
	"args": [{"buffer": "b"}, {"buffer": "s"}, {"buffer": "u"}, {"buffer": "out"}]}]}`
)

// find checks a program and returns what was found.
func find(t testing.TB, p program) []*check.Finding {
	t.Helper()
	list, err := findings(p, t.TempDir(), t)
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(p.ptx))
	}
	return list
}

func findings(p program, dir string, t testing.TB) ([]*check.Finding, error) {
	opts := DefaultOptions()
	opts.Check = &check.Run{Groups: check.AllGroups}
	s, err := OpenManifest(p.source(t, dir), opts)
	if err != nil {
		return nil, err
	}
	err = s.Execute(context.Background())
	return opts.Check.List.Findings(), err
}

// kindsFound are the kinds of some findings, each once.
func kindsFound(list []*check.Finding) (kinds []check.Kind) {
	for _, f := range list {
		if !slices.Contains(kinds, f.Kind) {
			kinds = append(kinds, f.Kind)
		}
	}
	return kinds
}

// show is what was found, for messages.
func show(list []*check.Finding) string {
	var b strings.Builder
	for _, f := range list {
		b.WriteString(f.Text())
	}
	return b.String()
}

// TestCheckPlanted: each planted fault is found, and nothing else; near-misses are silent.
func TestCheckPlanted(t *testing.T) {
	var faults, silent int
	for _, k := range checkKernels() {
		t.Run(k.name, func(t *testing.T) {
			list := find(t, program{checkPrelude + k.body + checkEnd, fmt.Sprintf(checkManifest, k.ctas, k.block)})
			var want []check.Kind
			if k.want != "" {
				want = append(want, k.want)
				faults++
			} else {
				silent++
			}
			if got := kindsFound(list); !slices.Equal(got, want) {
				t.Errorf("found %v, by hand %v\n%s%s", got, want, show(list), numbered(k.body))
			}
			for _, f := range list {
				if f.Why == "" || f.Count == 0 || f.At.Line == 0 || f.Kind.Group() == check.Races && f.At.Known && f.Other == nil && !strings.HasPrefix(f.Why, "the CTA ends") {
					t.Errorf("%+v does not say all", f)
				}
			}
		})
	}
	if faults < 60 || silent < 60 {
		t.Errorf("%d planted faults and %d near-misses; 60 of each are wanted", faults, silent)
	}
}

// TestCheckRaces: of the kernels by which the race detector is tested check tells those that
// have a data race, and no other; so its filter lets none pass.
func TestCheckRaces(t *testing.T) {
	for _, k := range slices.Concat(plantedRaces, plantedChains, orderedKernels, orderedChains) {
		t.Run(k.name, func(t *testing.T) {
			list := find(t, program{k.text(), `{"version": 1, "buffers": {"b": {"bytes": 1048576, "type": "u32", "init": "zero"}}, "launches": [` +
				launchOf("k", k.ctas, k.block) + `]}`})
			for _, f := range list {
				if f.Kind.Group() != check.Races && f.Kind.Group() != check.Sync && f.Kind != check.AbsentCTA && f.Kind != check.UnwrittenMemory {
					t.Errorf("found %s\n%s", show([]*check.Finding{f}), numbered(k.body))
				}
			}
			races := kindsFound(list)
			var data, value bool
			for row := range strings.SplitSeq(k.want, ", ") {
				kind, _, _ := strings.Cut(row, " ")
				if slices.Contains([]string{"write-write", "write-read", "read-write"}, kind) && !strings.Contains(row, "sync") {
					data = data || !strings.Contains(row, "value")
					value = value || strings.Contains(row, "value")
				}
			}
			found := slices.Contains(races, check.Race) || slices.Contains(races, check.Unfinished)
			data = data || value && slices.Contains(races, check.Unfinished) // it is a fault whatever comes
			if data != found || value && !data && !slices.Contains(races, check.BenignRace) && !found || !value && slices.Contains(races, check.BenignRace) && !data {
				t.Errorf("found %v; the detector's rows are %q\n%s", races, k.want, numbered(k.body))
			}
		})
	}
}

// undefinedFeatures are programs that do what the manual leaves undefined, since hyptx
// defines it: they read by .nc what they have written, as their notes say, add to what a
// store may not have written yet, or read what others add to.
var undefinedFeatures = map[string]check.Kind{
	"cache_policy": check.ProxyRace, "ldst_nc": check.ProxyRace, "ldst_nc_l1": check.ProxyRace, "ldst_nc_l2": check.ProxyRace, "ldu": check.ProxyRace,
	"async_release": check.Unfinished, "atom_contended": check.Race,
}

// TestCheckFeatures: nothing is found in the programs of ptx-samples/features but what
// their headers say that is a fault, or that no race detector could like.
func TestCheckFeatures(t *testing.T) {
	for i, sample := range featureSamples(t) {
		if testing.Short() && i%8 != 0 {
			continue
		}
		t.Run(sample.Name, func(t *testing.T) {
			opts := DefaultOptions()
			opts.Check = &check.Run{Groups: check.AllGroups}
			s := featureSessionWith(t, sample, opts)
			if err := s.Execute(context.Background()); err != nil {
				t.Fatal(err)
			}
			list := opts.Check.List.Findings()
			switch want, known := undefinedFeatures[sample.Name]; {
			case known && !slices.Equal(kindsFound(list), []check.Kind{want}):
				t.Errorf("want %s; found\n%s", want, show(list))
			case !known && (len(list) > 0) != (sample.Fault != ""):
				t.Errorf("fault %q; found\n%s", sample.Fault, show(list))
			}
		})
	}
}

// TestCheckFilter: the detector, told to look at every launch of random programs, finds
// what it does when the filter chooses: the filter lets no race pass.
func TestCheckFilter(t *testing.T) {
	programs, suspected := 0, 0
	for _, seed := range randomSeeds(7000, 150, 30) {
		programs++
		if sameRaces(t, fmt.Sprint("seed ", seed), randomProgram(seed)) {
			suspected++
		}
	}
	t.Logf("%d of %d programs were suspects", suspected, programs)
}

// sameRaces holds the races that are found of a program where the filter chooses against those
// that the detector finds of all launches, and reports whether the filter has chosen any.
func sameRaces(t *testing.T, name string, p program) (suspected bool) {
	t.Helper()
	detected := []check.Kind{check.Race, check.BenignRace, check.Volatile, check.Unfinished, check.MixedBar, check.ProxyRace, check.AbsentCTA}
	races := func(list []*check.Finding) (found []string) {
		for _, f := range list {
			other := uint32(0)
			if f.Other != nil {
				other = f.Other.PC
			}
			ends := f.Kind == check.Unfinished && f.Other == nil && f.At.Known // a copy at the end of a CTA, which the first run notes
			if slices.Contains(detected, f.Kind) && !ends {
				found = append(found, fmt.Sprint(f.Kind, f.At.PC, other))
			}
		}
		slices.Sort(found)
		return found
	}
	dir := t.TempDir()
	var lists [2][]*check.Finding
	for i := range lists {
		opts := DefaultOptions()
		opts.Check = &check.Run{Groups: check.Groups{check.Races, check.Sync}}
		s, err := OpenManifest(p.source(t, dir), opts)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			s.checking.second = true
			for l := range s.launches {
				s.checking.suspects[l] = true
			}
		}
		if err := s.Execute(context.Background()); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, numbered(p.ptx))
		}
		if lists[i] = opts.Check.List.Findings(); i == 0 {
			suspected = opts.Check.Again > 0
		}
	}
	if a, b := races(lists[0]), races(lists[1]); !slices.Equal(a, b) {
		t.Errorf("%s: found\n%sthe detector alone finds\n%s%s", name, show(lists[0]), show(lists[1]), numbered(p.ptx))
	}
	return suspected
}

// TestCheckSamples: nothing is wrong with the kernels and the small benchmarks that ship,
// but for what is known of them: threads of one warp, or frontiers of a search, that store
// one value. With HYPTX_HEAVY all samples are checked, and the networks of ../shared.
func TestCheckSamples(t *testing.T) {
	remarks := map[string]bool{"conv_pointwise": true, "bfs": true, "pathfinder": true}
	globs := []string{"../ptx-samples/kernels/*.json", "../ptx-samples/benchmarks/*small.json"}
	if os.Getenv("HYPTX_HEAVY") != "" {
		globs = []string{"../ptx-samples/*/*.json", "../examples/*.json", "../../shared/cnn/*/*.json"}
	}
	for _, glob := range globs {
		files, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range files {
			if testing.Short() && i%4 != 0 {
				continue
			}
			t.Run(filepath.Base(file), func(t *testing.T) {
				opts := DefaultOptions()
				opts.MaxMemoryBytes = 16 << 30
				opts.Check = &check.Run{Groups: check.AllGroups}
				src, err := source.Read(file, nil)
				if err != nil {
					t.Fatal(err)
				}
				s, err := OpenManifest(src, opts)
				if err == nil {
					err = s.Execute(context.Background())
				}
				if err != nil {
					t.Fatal(err)
				}
				name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
				for _, f := range opts.Check.List.Findings() {
					if !f.Remark() || !remarks[name] {
						t.Error(f.Text())
					}
				}
			})
		}
	}
}
