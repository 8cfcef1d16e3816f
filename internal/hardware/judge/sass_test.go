package judge

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/roofline"
)

// TestSASS: the part alone needs no GPU.
func TestSASS(t *testing.T) {
	defer func(names []string) { architectures = names }(architectures)
	architectures = []string{"sm_70", "sm_75", "sm_80"}
	c, log := config(t, "nodevice")
	c.Only = []string{"sass"}
	tool(t, "ptxas", `case "$*" in --version) echo "V13.0.88"; exit 0;; *sm_70*) echo "ptxas fatal : no sm_70" >&2; exit 1;; esac
while [ $# -gt 0 ]; do case "$1" in -o) out=$2; shift;; esac; last=$1; shift; done
if grep -q 'version 99.9' "$last"; then echo "Unsupported .version 99.9; current version is '9.0'" >&2; exit 255; fi
cp "$last" "$out"`)
	tool(t, "nvdisasm", `echo ".text.k:"; awk '/\.loc 1/ {print "\t//## File \"hyptx.ptx\", line " $3; print "        /*0010*/                   FADD R0, R1, R2 ;"}' "$3"`)
	tool(t, "cuobjdump", `printf '\t\tFunction : k\n        /*0000*/                   EXIT ;\n'`)
	if err := Run(context.Background(), c); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	text, err := os.ReadFile(filepath.Join(c.Out, withoutGPU, "sass.tsv"))
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	var source []string
	kinds := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			source = append(source, comment)
			continue
		}
		fields := strings.Split(line, "\t")
		kinds[fields[0]+" "+fields[2]]++
	}
	if kinds["form sm_80"] < 500 || kinds["kernel sm_80"] != 48 || kinds["kernel sm_75"] != 24 || kinds["form sm_70"] != 0 {
		t.Errorf("%v\n%s", kinds, log)
	}
	if source := strings.Join(source, ""); !strings.Contains(source, "ptxas V13.0.88") || !strings.Contains(source, "sm_70: ptxas: ptxas fatal : no sm_70") || !strings.Contains(source, "2026-11-21") {
		t.Errorf("%s", source)
	}
}

// ncu is a stand-in for Nsight Compute: it does not know one metric, and counts
// two launches of any program.
const ncu = `for a; do case "$prev" in --log-file) log=$a;; --metrics) metrics=$a;; esac; prev=$a; done
case "$metrics" in *smsp__thread_inst_executed_pred_on.sum*) echo "==ERROR== Failed to find metric smsp__thread_inst_executed_pred_on.sum" > "$log"; exit 1;; esac
{ echo '==PROF== Connected to process 7'
echo '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
for id in 0 1; do for m in $(echo "$metrics" | tr , ' '); do
case $m in *bytes*) u=byte;; *duration*) u=ns;; *sectors*) u=sector;; *pct) u=%;; *) u=inst;; esac
case $m in *control*) v=n/a;; *inst_executed.sum) v=1,000;; *) v=64;; esac
echo "\"$id\",\"7\",\"hyptx\",\"host\",\"k$id\",\"1\",\"7\",\"(32, 1, 1)\",\"(4, 1, 1)\",\"0\",\"9.0\",\"Command line profiler metrics\",\"$m\",\"$u\",\"$v\""
done; done; } > "$log"`

// TestCounters: counters of all networks in one file that roofline reads; a
// refusal is one line.
func TestCounters(t *testing.T) {
	c, log := config(t, "")
	c.Only = []string{"counters"}
	c.Networks = []string{filepath.Join(c.Samples, "networks", "alexnet.json"), filepath.Join(c.Samples, "networks", "vgg16.json")}
	tool(t, "ncu", ncu)
	if err := Run(context.Background(), c); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	dir := filepath.Join(c.Out, "test-gpu")
	got, notes := statesOf(t, dir)
	if got != "counters:done" || !strings.Contains(notes["counters"], "2 networks") || !strings.Contains(notes["counters"], "1 metrics unknown here") {
		t.Errorf("%s %v\n%s", got, notes, log)
	}
	text, err := os.ReadFile(filepath.Join(dir, "counters.csv"))
	if err != nil {
		t.Fatal(err)
	}
	launches, err := roofline.ReadCounters("counters.csv", text)
	if err != nil || len(launches) != 4 || launches[0].Kernel != "k0" || launches[0].CTAs != 4 {
		t.Errorf("%d launches, %v\n%s", len(launches), err, text)
	}
	if !strings.Contains(string(text), "vgg16/1,k1,") || strings.Contains(string(text), "n/a") {
		t.Errorf("%s", text)
	}
	for script, want := range map[string]string{
		`echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters"; exit 1`: "ERR_NVGPUCTRPERM - The user",
		`echo "==PROF== nothing"; exit 0`: "no counters",
		`exit 9`:                          "exit status 9",
	} {
		c, log := config(t, "")
		c.Only = []string{"counters"}
		c.Networks = []string{filepath.Join(c.Samples, "networks", "alexnet.json")}
		tool(t, "ncu", script)
		if err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "counters was asked for and cannot run here: ") {
			t.Fatalf("%v\n%s", err, log)
		}
		got, notes := statesOf(t, filepath.Join(c.Out, "test-gpu"))
		if got != "counters:skipped" || !strings.Contains(notes["counters"], want) || strings.Contains(notes["counters"], "\n") {
			t.Errorf("%s %q, want %q", got, notes["counters"], want)
		}
	}
}
