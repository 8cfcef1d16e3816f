package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hyptx/analysis"
)

// A run ends when it is to end wherever it is: in reading a large file, in a grid
// whose CTAs execute nothing that is sliced, in writing 2^31 rows; no part of a
// file is left. Each would take many times the bound that is asked for here, which
// is itself many times the 200 ms that an idle machine needs.
func TestEndsAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 MB")
	}
	cases, err := os.ReadFile("../../../shared/cases/k.ptx")
	if err != nil {
		t.Skip(err)
	}
	manifest := func(name string) string { return read(t, "../../../shared/cases/"+name) }
	percta, run1T := manifest("percta.json"), manifest("run1T.json")
	t.Chdir(t.TempDir())
	put(t, "large.ptx", straightCode(64<<20))
	put(t, "k.ptx", string(cases))
	put(t, "percta.json", percta)
	put(t, "run1T.json", run1T)
	for _, args := range [][]string{
		{"parse", "large.ptx"},
		{"profile", "large.ptx", "--mode", "static"},
		{"graph", "large.ptx"},
		{"profile", "percta.json", "--per-cta", "p.csv"},
		{"profile", "percta.json", "--mode", "full"},
		{"run", "run1T.json", "-o", "o.json"},
	} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errInterrupted)
		var out, errOut bytes.Buffer
		begin := time.Now()
		code := runContext(ctx, args, nil, &out, &errOut)
		if took := time.Since(begin); took > 3*time.Second {
			t.Errorf("%v ended after %s", args, took)
		}
		cancel()
		if code != exitInput || !strings.Contains(errOut.String(), "interrupted") {
			t.Errorf("%v: exit code %d: %s", args, code, errOut.String())
		}
	}
	files, err := os.ReadDir(".")
	if err != nil || len(files) != 4 {
		t.Errorf("files are left: %v, %v", files, err)
	}
}

// An output is written from where it lies: what nobody touched is never made, and
// what of it is in memory at a time does not depend on its size.
func TestOutputInPieces(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 a", "ld.param.u64 %rd1, [a]; st.global.u32 [%rd1+1048576], 7;"))
	const size = 128 << 20
	put(t, "m.json", strings.TrimSuffix(manifestOf(fmt.Sprintf(`"a": {"bytes": %d, "type": "u32", "init": "zero"}`, size),
		`"grid": [1], "block": [32], "args": [{"buffer": "a"}]`), "}")+`, "outputs": ["a"]}`)
	if took := asProcess(t, "run", "m.json", "--max-memory", "1MiB", "-o", "o.json", "--dump", "a=a.npy"); took.allocated > size/4 {
		t.Errorf("%d MiB were allocated for an output of %d", took.allocated>>20, size>>20)
	}
	want := make([]byte, size)
	want[1048576] = 7
	got := read(t, "a.npy")
	if !bytes.Equal([]byte(got[len(got)-size:]), want) {
		t.Error("the array is not what the kernel left")
	}
	var doc struct{ Outputs []analysis.Output }
	if err := json.Unmarshal([]byte(read(t, "o.json")), &doc); err != nil || len(doc.Outputs) != 1 || !bytes.Equal(doc.Outputs[0].Data, want) {
		t.Errorf("the document is not what the kernel left: %v", err)
	}
}

// TestNestedTooDeep: what nests without end is refused with the limit, and never takes
// the stack.
func TestNestedTooDeep(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 300_000
	nest := func(open, inner, closing string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
	}
	inBody := func(text string) string { return kernel("", text) }
	for name, c := range map[string]struct{ text, want string }{
		"scopes":       {inBody(nest("{", "", "}")), "hyptx takes 100 levels"},
		"parentheses":  {header + ".global .u32 x = " + nest("(", "1", ")") + ";", "hyptx takes 100 levels"},
		"initialisers": {header + ".global .u32 x[2] = " + nest("{", "1", "}") + ";", "hyptx takes 100 levels"},
		"signs":        {inBody("mov.u32 %r1, " + nest("-", "1", "") + ";"), "hyptx takes 100 levels"},
		"casts":        {inBody("mov.u32 %r1, " + nest("(.s64)", "1", "") + ";"), "hyptx takes 100 levels"},
		"conditions":   {inBody("mov.u32 %r1, " + nest("1?1:", "1", "") + ";"), "hyptx takes 100 levels"},
		"generics":     {header + ".global .u64 x = " + nest("generic(", "x", ")") + ";", "hyptx takes 100 levels"},
		"operators":    {inBody("mov.u32 %r1, " + nest("1+", "1", "") + ";"), "hyptx takes 1000"},
		"vectors":      {inBody("mov.b64 %rd1, " + nest("{", "1", "}") + ";"), "unexpected {"},
		"arguments":    {inBody("call f, " + nest("(", "1", ")") + ";"), "hyptx takes 100 levels"},
		"lists":        {`{"version": 1, "x": ` + nest("[", "", "]") + "}", "more than 10000 lists and objects in each other"},
		"objects":      {`{"version": 1, "x": ` + nest(`{"x": `, "1", "}") + "}", "more than 10000 lists and objects in each other"},
	} {
		file := "k.ptx"
		if strings.HasPrefix(c.text, "{") {
			file = "m.json"
		}
		put(t, file, c.text)
		r := hyptx("profile", file).must(t, exitInput)
		if !strings.Contains(r.errOut, c.want) || len(r.errOut) > 10_000 {
			t.Errorf("%s: %.300s", name, r.errOut)
		}
	}
}
