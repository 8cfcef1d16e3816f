package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// What could not be checked stands in every report as an error: CI must not take a program
// that nobody looked at for one in which nothing is wrong.
func TestCheckUnchecked(t *testing.T) {
	checkFolder(t)
	none := `{"version": 1, "buffers": {}, "launches": []}`
	loop := `.version 8.0
.target sm_80
.address_size 64
.visible .entry first() { ret; }
.visible .entry loop() { L: bra L; }`
	both := `{"version": 1, "buffers": {}, "launches": [
 {"module": "l.ptx", "kernel": "first", "grid": [1], "block": [32], "args": []},
 {"module": "l.ptx", "kernel": "loop", "grid": [1], "block": [32], "args": []}]}`
	for name, text := range map[string]string{"none.json": none, "l.ptx": loop, "both.json": both, "bad.ptx": "what\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	limit := "more than 10 warp instructions needed"
	for _, c := range []struct {
		args    string
		code    int
		text    string // the end of what is shown
		reasons []string
		clean   []string // test cases that pass
	}{
		{"nosuch.json", exitInput, "1 program could not be checked: nosuch.json: ", []string{"no such file"}, nil},
		{"bad.ptx", exitInput, "1 program could not be checked: bad.ptx: bad.ptx:1:1", []string{"unexpected what"}, nil},
		{"both.json --max-instructions 10", exitInput, "nothing found in 1 of 2 launches\n1 launch could not be checked: both.json: launch 1 (loop): " + limit, []string{limit}, []string{`classname="both.first" name="check"`}},
		{"both.json nosuch.json --max-instructions 10", exitInput, "1 launch could not be checked: both.json: ", []string{"no such file", limit}, []string{`classname="both.first"`}},
		{"both.json --kernel loop", exitInput, "1 program could not be checked: both.json: --kernel", []string{"--kernel is for bare"}, nil},
		{"none.json", exitDone, "nothing to check: there is no launch\n", nil, nil},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := append([]string{"check"}, strings.Fields(c.args)...)
			if r := hyptx(args...).must(t, c.code); !strings.Contains(r.out, c.text) || strings.Contains(r.out, "0 launches") {
				t.Errorf("text %s", r.out)
			}
			reports := map[string]string{}
			for _, as := range []string{"json", "junit", "sarif"} {
				reports[as] = hyptx(append(args, "--format", as)...).must(t, c.code).out
				for _, want := range c.reasons {
					if !strings.Contains(reports[as], want) {
						t.Errorf("%s does not say %q:\n%s", as, want, reports[as])
					}
				}
			}
			var doc struct {
				Errors []struct{ Program, Reason string }
			}
			var log struct {
				Runs []struct {
					Invocations []struct {
						ExecutionSuccessful        bool
						ToolExecutionNotifications []struct {
							Level   string
							Message struct{ Text string }
						}
					}
				}
			}
			if err := json.Unmarshal([]byte(reports["json"]), &doc); err != nil || len(doc.Errors) != len(c.reasons) || doc.Errors == nil {
				t.Errorf("JSON %+v %v", doc, err)
			}
			if err := json.Unmarshal([]byte(reports["sarif"]), &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Invocations) != 1 {
				t.Fatalf("SARIF %+v %v", log, err)
			}
			in := log.Runs[0].Invocations[0]
			if in.ExecutionSuccessful != (len(c.reasons) == 0) || len(in.ToolExecutionNotifications) != len(c.reasons) {
				t.Errorf("invocation %+v", in)
			}
			for _, n := range in.ToolExecutionNotifications {
				if n.Level != "error" || n.Message.Text == "" {
					t.Errorf("notification %+v", n)
				}
			}
			junit := reports["junit"]
			if got := strings.Count(junit, "<error "); got != len(c.reasons) || strings.Count(junit, "<testcase ") != got+len(c.clean) {
				t.Errorf("JUnit %s", junit)
			}
			for _, want := range c.clean {
				if !strings.Contains(junit, want) {
					t.Errorf("no %s in\n%s", want, junit)
				}
			}
		})
	}
}

// One kernel in two programs is two classes, and findings of one line are two cases.
func TestCheckCases(t *testing.T) {
	checkFolder(t)
	text, err := os.ReadFile("m.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("n.json", text, 0o666); err != nil {
		t.Fatal(err)
	}
	r := hyptx("check", "m.json", "n.json", "--format", "junit").must(t, exitInput)
	for _, want := range []string{`tests="4" failures="4"`, `classname="m.racy" name="data-race at k.cu:3"`, `classname="n.racy" name="data-race at k.cu:3"`} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in\n%s", want, r.out)
		}
	}
	match(t, "check", hyptx("check", "m.json", "n.json").must(t, exitInput).out, `kernel racy of n.json\n`)
}

// What a module's version has not is told with the option that lets it pass, and a parameter
// that PTX calls unsigned takes an int.
func TestCheckLenient(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"k.ptx":  ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u32 n) { .reg .b32 %r; activemask.b32 %r; ret; }",
		"m.json": `{"version": 1, "buffers": {}, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"value": -7}]}]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	match(t, "check", hyptx("check", "m.json").must(t, exitInput).errOut, `needs PTX 6\.2, the module has 6\.0 .*--lenient makes this a warning`)
	hyptx("check", "m.json", "--lenient").must(t, exitDone)
}
