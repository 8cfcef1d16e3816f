package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/manifest"
	"hyptx/internal/source"
)

// TestBriefAssumptions: names that a compiler mangled are not spelled out in a
// table, and many of one kind are a number.
func TestBriefAssumptions(t *testing.T) {
	const k = "_Z15elementwise_addIfEvPKT_S2_PS0_ii_param_"
	const buffer = "=buffer of unspecified contents"
	for _, c := range []struct{ text, want string }{
		{"n=1024", "n=1024"},
		{"dynamic_shared=0", "dynamic_shared=0"},
		{"a" + buffer, "pointer a to unspecified contents"},
		{"grid=1,1,1; block=256,1,1; a" + buffer + "; b" + buffer + "; n=1024; c" + buffer + "; m=1024; x=255",
			"grid=1,1,1; block=256,1,1; 3 pointers to unspecified contents (a, b, c); 2 scalars = 1024 (n, m); x=255"},
		{k + "0" + buffer + "; " + k + "1" + buffer + "; " + k + "2" + buffer + "; " + k + "3" + buffer + "; " + k + "4=1024",
			"4 pointers to unspecified contents (param_0, param_1, param_2, ...); param_4=1024"},
		{"_Z9a_long_nameILi128EEvPKfiiiiiiii=16 zero bytes", "struct _Z9a_long_name...iiiiiii of 16 zero bytes"},
		{"_Z3fooPf=1", "foo(float*)=1"},
		{"buffers.a has no init; buffers.b has no init", "2 buffers without init (buffers.a, buffers.b)"},
		{"registers, shared or local memory read before they are written", "registers, shared or local memory read before they are written"},
	} {
		if got := BriefAssumptions(c.text); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// bareLaunch is how the tests launch a bare file: a grid and a block are given, and
// so are the named arguments.
func bareLaunch(t *testing.T, ptx string, flags manifest.Flags, mode Mode) *Profile {
	t.Helper()
	opts := DefaultOptions()
	opts.Mode = mode
	sessions, err := OpenBare(context.Background(), source.File{Name: "k.ptx", Text: []byte(ptx)}, flags, opts)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ProfileAll(context.Background(), sessions)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// structKernel reads a structure, of which no decision and no address depends.
const structKernel = `.version 7.5
.target sm_70
.address_size 64
.visible .entry k(.param .u64 to, .param .align 8 .b8 p[32])
{
	.reg .b32 %r; .reg .b64 %rd;
	ld.param.u64 %rd, [to];
	ld.param.u32 %r, [p+16];
	st.global.u32 [%rd], %r;
	ret;
}`

// TestAssumedStruct: a structure that nobody gave is an assumption, also where no
// decision depends on it; one that is given is none, also if it is zeros.
func TestAssumedStruct(t *testing.T) {
	const zeros = "p=32 zero bytes"
	for _, c := range []struct{ arg, want, inputs string }{
		{"", "assumed", zeros},
		{`{"bytes": 32}`, "assumed", zeros},
		{`{"bytes": 32, "hex": "00"}`, "exact", ""},
		{`{"bytes": 32, "fields": [{"at": 16, "value": 1, "type": "u32"}]}`, "exact", ""},
	} {
		for _, mode := range []Mode{Control, Memory, Full} {
			var p *Profile
			if c.arg == "" {
				p = bareLaunch(t, structKernel, manifest.Flags{Grid: []int{1}, Block: []int{32}}, mode)
			} else {
				p = program{structKernel, launch(1, 32, `"a": {"bytes": 4}`, `{"buffer": "a"}, `+c.arg)}.profile(t, mode)
			}
			r := p.Rows[0]
			if r.Exactness != c.want || !strings.HasSuffix(r.AssumedInputs, c.inputs) || c.inputs == "" && r.AssumedInputs != "" {
				t.Errorf("%s, mode %s: %s, %q; want %s, %q", c.arg, mode, r.Exactness, r.AssumedInputs, c.want, c.inputs)
			}
			var b strings.Builder
			if err := p.WriteTable(&b, nil, 0); err != nil {
				t.Fatal(err)
			}
			if said := strings.Contains(b.String(), "struct p of 32 zero bytes"); said != (c.want == "assumed") {
				t.Errorf("%s, mode %s: the table says so: %v\n%s", c.arg, mode, said, b.String())
			}
		}
	}
	// Two kernels whose assumptions differ: the table names the structures.
	other := strings.NewReplacer("entry k(.param .u64 to, ", "entry k2(.param .u64 to, .param .u32 n, ", "p[32]", "q[8]", "[p+16]", "[q]").
		Replace(structKernel[strings.Index(structKernel, ".visible"):])
	p := bareLaunch(t, structKernel+"\n"+other, manifest.Flags{Grid: []int{1}, Block: []int{32}}, Control)
	var b strings.Builder
	if err := p.WriteTable(&b, nil, 0); err != nil {
		t.Fatal(err)
	}
	if want := "2 launches rest on assumed inputs (among them struct p of 32 zero bytes; struct q of 8 zero bytes)"; !strings.Contains(b.String(), want) {
		t.Errorf("%s\nwant %s", b.String(), want)
	}
}

// unspecified takes the contents of buffers, and of structures, out of a manifest
// of one launch, and returns what a user of a bare file would give for it.
func unspecified(t *testing.T, text []byte) (string, manifest.Flags) {
	t.Helper()
	var m struct {
		Version  int                       `json:"version"`
		Buffers  map[string]map[string]any `json:"buffers"`
		Launches []struct {
			Module             string           `json:"module"`
			Kernel             string           `json:"kernel"`
			Grid               []int            `json:"grid"`
			Block              []int            `json:"block"`
			DynamicSharedBytes int64            `json:"dynamicSharedBytes,omitempty"`
			Args               []map[string]any `json:"args"`
		} `json:"launches"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	for _, b := range m.Buffers {
		delete(b, "init")
	}
	l := &m.Launches[0]
	m.Launches = m.Launches[:1]
	flags := manifest.Flags{Grid: l.Grid, Block: l.Block, DynamicSharedBytes: l.DynamicSharedBytes}
	for i, a := range l.Args {
		if v, ok := a["value"]; ok {
			flags.Args = append(flags.Args, fmt.Sprintf("%d=%v", i, v))
		}
	}
	l.Module = "k.ptx"
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), flags
}

// TestBareIsManifest: a bare file and a manifest of which the same is unspecified
// have the same counts, as exact.
func TestBareIsManifest(t *testing.T) {
	seen := map[string]int{}
	compare := func(name, ptx string, text []byte) {
		man, flags := unspecified(t, text)
		for _, mode := range []Mode{Control, Memory, Full} {
			given, bare := program{ptx, man}.profile(t, mode).Launches[0], bareLaunch(t, ptx, flags, mode).Launches[0]
			if given.Exactness != bare.Exactness {
				t.Errorf("%s, mode %s: the manifest's launch is %s, that of the bare file %s", name, mode, given.Exactness, bare.Exactness)
			}
			seen[given.Exactness]++
			for c := range NumCounters {
				b := counters[c].block
				counted := c == AssumedDecisions || b == blockExecuted || b == blockMoved || b == blockEstimated
				if counted && given.Facts.Of(c) != bare.Facts.Of(c) {
					t.Errorf("%s, mode %s: %s %s, %s of a bare file", name, mode, given.Facts.Of(c), c, bare.Facts.Of(c))
				}
			}
		}
	}
	const buffers = `"a": {"bytes": 4096}, "b": {"bytes": 4096}`
	const word = "ld.param.u64 %d1, [a];\nld.global.u32 %r1, [%d1];\n"
	for name, p := range map[string]program{
		"structure": {structKernel, launch(3, 40, buffers, `{"buffer": "a"}, {"bytes": 32}`)},
		"branch":    {entry(".param .u64 a", word+"setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nst.global.u32 [%d1], %r1;\nL: ret;"), launch(3, 40, buffers, `{"buffer": "a"}`)},
		"gather": {entry(".param .u64 a, .param .u64 b", word+"ld.param.u64 %d2, [b];\nmul.wide.u32 %d3, %r1, 4;\nadd.s64 %d2, %d2, %d3;\nst.global.u32 [%d2], %r1;\nret;"),
			launch(3, 40, buffers, `{"buffer": "a"}, {"buffer": "b"}`)},
		"null": {entry(".param .u64 a", "ld.param.u64 %d1, [a];\nsetp.eq.s64 %p1, %d1, 0;\n@%p1 bra L;\nst.global.u32 [%d1], 1;\nL: ret;"), launch(3, 40, buffers, `{"buffer": "a"}`)},
	} {
		compare(name, p.ptx, []byte(p.manifest))
	}
	const dir = "../ptx-samples/kernels/"
	for _, name := range []string{"gemm_tiled", "avg_pool", "softmax", "bias_act", "conv_depthwise", "local_response_norm"} {
		text, err := os.ReadFile(dir + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		ptx, err := os.ReadFile(filepath.Join(dir, "sm_70", name+".ptx"))
		if err != nil {
			t.Fatal(err)
		}
		compare(name, string(ptx), text)
	}
	if seen["exact"] == 0 || seen["assumed"] == 0 {
		t.Errorf("the launches are %v: neither kind may be absent", seen)
	}
}
