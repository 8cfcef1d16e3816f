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
	percta, err := os.ReadFile("../../../shared/cases/percta.json")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	put(t, "large.ptx", straightCode(64<<20))
	put(t, "k.ptx", string(cases))
	put(t, "percta.json", string(percta))
	for _, args := range [][]string{
		{"parse", "large.ptx"},
		{"profile", "large.ptx", "--mode", "static"},
		{"graph", "large.ptx"},
		{"profile", "percta.json", "--per-cta", "p.csv"},
		{"profile", "percta.json", "--mode", "full"},
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
	if err != nil || len(files) != 3 {
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
