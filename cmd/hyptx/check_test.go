package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// checkFolder is a folder with a program of two kernels, its source and its manifest: one
// kernel writes an element too many, the other shares a word without a barrier.
func checkFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"k.cu": "// a source\nout[i] = i;\ns = 1; x = s;\n",
		"k.ptx": `.version 8.0
.target sm_80
.address_size 64
.file 1 "k.cu"
.visible .entry beyond(.param .u64 out)
{
	.reg .b32 %i; .reg .b64 %o, %d;
	ld.param.u64 %o, [out];
	mov.u32 %i, %tid.x;
	mul.wide.u32 %d, %i, 4;
	add.u64 %o, %o, %d;
	.loc 1 2 1
	st.global.u32 [%o], %i;
	ret;
}
.visible .entry racy(.param .u64 out)
{
	.reg .b32 %i, %x; .reg .b64 %o; .reg .pred %p, %q;
	.shared .align 4 .b32 s;
	ld.param.u64 %o, [out];
	mov.u32 %i, %tid.x;
	setp.eq.u32 %p, %i, 0;
	setp.eq.u32 %q, %i, 32;
	@%p st.shared.u32 [s], 0;
	bar.sync 0;
	.loc 1 3 1
	@%p st.shared.u32 [s], 1;
	@%q ld.shared.u32 %x, [s];
	@%q st.global.u32 [%o], %x;
	ret;
}`,
		"m.json": `{"version": 1, "buffers": {"out": {"bytes": 252, "type": "u32", "init": "zero"}}, "outputs": ["out"], "launches": [
 {"module": "k.ptx", "kernel": "beyond", "grid": [1], "block": [64], "args": [{"buffer": "out"}]},
 {"module": "k.ptx", "kernel": "racy", "grid": [1], "block": [64], "args": [{"buffer": "out"}]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// A report says for each finding where, what is missing, both instructions and threads,
// and shows the source; the exit code says that there is one.
func TestCheckText(t *testing.T) {
	checkFolder(t)
	r := hyptx("check", "m.json").must(t, exitInput)
	for _, want := range []string{
		"kernel beyond\naccess beyond memory [out-of-bounds], once, first in launch 0\n",
		"k.cu:2: element 63 of buffer out, which has 63 elements of 4 bytes (0 to 62)",
		"     2 | out[i] = i;\n    k.ptx:13  st.global.u32 [%o], %i  CTA (0,0,0) thread (63,0,0)",
		"kernel racy\ndata race [data-race], once, first in launch 1\n",
		"k.cu:3: no barrier (__syncthreads, bar.sync) between the store at k.cu:3 and this load\n",
		"k.ptx:28  @%q ld.shared.u32 %x, [s]  CTA (0,0,0) thread (32,0,0)  shared s + 0\n",
		"k.ptx:27  @%p st.shared.u32 [s], 1  CTA (0,0,0) thread (0,0,0)\n",
		"\n1 out-of-bounds, 1 data-race found in 2 launches, 1 of them run again by the race detector\n",
	} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in\n%s", want, r.out)
		}
	}
	if strings.Contains(r.out, "\x1b") {
		t.Error("there is colour where no terminal is")
	}
	if r := hyptx("check", "m.json", "--check", "sync,init").must(t, exitDone); r.out != "nothing found in 2 launches\n" {
		t.Errorf("of other groups: %s", r.out)
	}
	hyptx("check", "m.json", "--check", "rice").must(t, exitUsage)
	hyptx("check", "m.json", "-o", "x.pdf").must(t, exitUsage)
}

// What is known is left out, and lines that leave nothing out are told.
func TestCheckSuppress(t *testing.T) {
	checkFolder(t)
	known := "data-race kernel=rac* at=k.cu:3\nout-of-bounds object=out # one more than there is\nleak\n"
	if err := os.WriteFile("known.txt", []byte(known), 0o666); err != nil {
		t.Fatal(err)
	}
	r := hyptx("check", "m.json", "--suppress", "known.txt").must(t, exitDone)
	match(t, "check", r.out, `^nothing found in 2 launches, 1 of them run again by the race detector; 2 left out as the suppressions say\n$`)
	match(t, "check", r.errOut, `known.txt:3: nothing like it was found`)
	if err := os.WriteFile("bad.txt", []byte("\nraces\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	match(t, "check", hyptx("check", "m.json", "--suppress", "bad.txt").must(t, exitInput).errOut, `bad.txt:2: "races" is no kind of finding`)
}

// A line of a file of suppressions takes the names of C++ as reports show them.
func TestCheckSuppressDemangled(t *testing.T) {
	checkFolder(t)
	for _, file := range []string{"k.ptx", "m.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "beyond", "_ZN2ns6beyondIfEEvPi")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"beyond", "bey*", "ns::beyond<float>", "voidns::beyond<float>(int*)", `"void ns::beyond<float>(int*)"`, "_ZN2ns*"} {
		if err := os.WriteFile("known.txt", []byte("out-of-bounds kernel="+name+" at=k.ptx:13"), 0o666); err != nil {
			t.Fatal(err)
		}
		match(t, name, hyptx("check", "m.json", "--check", "memory", "--suppress", "known.txt").must(t, exitDone).out, "1 left out")
	}
}

// The files for CI hold what their formats require, and the text is shown beside them.
func TestCheckFormats(t *testing.T) {
	checkFolder(t)
	read := func(name string) []byte {
		t.Helper()
		if r := hyptx("check", "m.json", "-o", name).must(t, exitInput); !strings.Contains(r.out, "data race") {
			t.Errorf("-o %s: the text is not shown", name)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var sarif struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
				RelatedLocations []struct{ ID int }
			}
		}
	}
	if err := json.Unmarshal(read("f.sarif"), &sarif); err != nil {
		t.Fatal(err)
	}
	if sarif.Version != "2.1.0" || len(sarif.Runs) != 1 || sarif.Runs[0].Tool.Driver.Name == "" || len(sarif.Runs[0].Results) != 2 {
		t.Fatalf("SARIF %+v", sarif)
	}
	for i, r := range sarif.Runs[0].Results {
		at := r.Locations[0].PhysicalLocation
		if r.RuleID != sarif.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID || r.Level != "error" || r.Message.Text == "" ||
			at.ArtifactLocation.URI != "k.cu" || at.Region.StartLine != i+2 || len(r.RelatedLocations) != 1+2*i {
			t.Errorf("result %d: %+v", i, r)
		}
	}
	var junit struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(read("f.xml"), &junit); err != nil {
		t.Fatal(err)
	}
	if junit.Tests != 2 || junit.Failures != 2 || len(junit.Suites) != 1 || len(junit.Suites[0].Cases) != 2 || junit.Suites[0].Cases[0].Failure == nil {
		t.Errorf("JUnit %+v", junit)
	}
	var doc struct {
		Version  string `json:"hyptx_version"`
		Inputs   string `json:"inputs_sha256"`
		Launches int
		Findings []struct {
			Kind, Kernel, Why string
			Count             int
			At                struct {
				Line int `json:"ptx_line"`
			}
			Other *struct{ Text string }
		}
	}
	if err := json.Unmarshal(read("f.json"), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Version == "" || doc.Inputs == "" || doc.Launches != 2 || len(doc.Findings) != 2 || doc.Findings[0].At.Line != 13 || doc.Findings[1].Other == nil {
		t.Errorf("JSON %+v", doc)
	}
	if out := hyptx("check", "m.json", "--format", "json").must(t, exitInput).out; !strings.HasPrefix(out, "{") {
		t.Errorf("--format json shows %s", out)
	}
	if err := os.WriteFile("clean.json", []byte(`{"version": 1, "buffers": {"out": {"bytes": 256, "type": "u32"}}, "launches": [
 {"module": "k.ptx", "kernel": "beyond", "grid": [1], "block": [64], "args": [{"buffer": "out"}]}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	match(t, "check", hyptx("check", "clean.json", "--format", "junit").must(t, exitDone).out, `tests="1" failures="0" errors="0"(?s).*<testcase classname="clean.beyond" name="check">`)
}

// A run that is checked leaves its outputs, and says what is wrong on standard error.
func TestRunCheck(t *testing.T) {
	checkFolder(t)
	r := hyptx("run", "m.json", "--check", "race", "-o", "-").must(t, exitInput)
	if !strings.Contains(r.errOut, "[data-race]") || strings.Contains(r.errOut, "[out-of-bounds]") || !strings.HasPrefix(r.out, "{") {
		t.Errorf("standard output %.300s\nstandard error %s", r.out, r.errOut)
	}
	hyptx("run", "m.json", "--suppress", "known.txt").must(t, exitUsage)
	hyptx("run", "m.json").must(t, exitInput) // as ever, a bad access is an error
}
