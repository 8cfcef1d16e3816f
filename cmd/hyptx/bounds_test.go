package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"hyptx/analysis"
)

// asCommand in the environment makes the test's binary hyptx itself, which in the end
// writes to the file that it names how many bytes it has allocated in all.
const asCommand = "HYPTX_TEST_ALLOCATED"

func TestMain(m *testing.M) {
	file := os.Getenv(asCommand)
	if file == "" {
		os.Exit(m.Run())
	}
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if err := os.WriteFile(file, fmt.Append(nil, memory.TotalAlloc), 0o644); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// asProcess runs a command that has to succeed in a process of its own, where nothing
// else allocates, and returns how many bytes it allocated.
func asProcess(t *testing.T, args ...string) (allocated int64) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "allocated")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(os.Environ(), asCommand+"="+file)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	if _, err := fmt.Sscan(read(t, file), &allocated); err != nil {
		t.Fatal(err)
	}
	return allocated
}

// instructions is a kernel of so many bytes of straight code.
func instructions(bytes int) []byte {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<100>;\n")
	for i := 0; b.Len() < bytes; i++ {
		fmt.Fprintf(&b, "L%d:\nadd.u32 %%r%d,%%r%d,%d;\n", i, i%97, i*7%97, i%1000)
	}
	b.WriteString("ret;\n}\n")
	return []byte(b.String())
}

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
	put(t, "large.ptx", string(instructions(64<<20)))
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
	if made := asProcess(t, "run", "m.json", "--max-memory", "1MiB", "-o", "o.json", "--dump", "a=a.npy"); made > size/4 {
		t.Errorf("%d MiB were allocated for an output of %d", made>>20, size>>20)
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
