package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hyptx/internal/papers"
	"hyptx/internal/shipped"
)

// TestPapers: all parts at their small size. Tables and figures are whole, a part has both
// unless it draws nothing, papers.csv is what the screen sums up, and what a part wrote is
// what its command writes alone.
func TestPapers(t *testing.T) {
	t.Chdir(t.TempDir())
	r := hyptx("papers", "--small", "-o", "P", "--plot", "svg").must(t, exitDone)
	for _, want := range []string{"1 of 19: hypa/networks", "scalemodel/errors is left out: it needs a folder", "accelwattch/validation took"} {
		match(t, "progress", r.errOut, want)
	}
	drawn, tables := map[string]int{}, map[string]int{}
	err := filepath.WalkDir("P", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		part := filepath.ToSlash(filepath.Dir(path))
		switch text := read(t, path); filepath.Ext(path) {
		case ".svg":
			if drawn[part]++; !strings.HasSuffix(text, "</svg>\n") {
				t.Errorf("%s is no whole figure", path)
			}
		case ".csv":
			counted := path != filepath.Join("P", "st2", "order", "st2_mix.csv") // with --no-prediction no instructions are
			if tables[part]++; !strings.HasSuffix(text, "\n") || counted != (len(readCSV(t, text)) > 0) {
				t.Errorf("%s is no whole table", path)
			}
		default:
			t.Errorf("%s is no table and no figure", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range papersList() {
		for _, part := range p.Parts {
			folder := "P/" + p.Name + "/" + part.Name
			draws := strings.Contains(strings.Join(part.Commands, " "), "--plot")
			if part.Needs == "" && (tables[folder] == 0 || draws != (drawn[folder] > 0)) {
				t.Errorf("%s: %d tables, %d figures", folder, tables[folder], drawn[folder])
			}
		}
	}
	var rows, held = readCSV(t, read(t, "P/papers.csv")), map[string]bool{}
	for _, row := range rows {
		if held[row["paper"]] = true; !strings.Contains(r.out, row["paper"]) || row["ours"] == "" || row["theirs"] == "" {
			t.Errorf("%v", row)
		}
	}
	for _, paper := range []string{"hypa", "thesis", "accelwattch", "scalemodel", "st2"} {
		if !held[paper] {
			t.Errorf("nothing of %s is held against it", paper)
		}
	}
	hyptx("thesis", "counters", "-o", "T", "--plot", "svg").must(t, exitDone)
	for _, name := range []string{"thesis_times.csv", "thesis_kernels.csv", "thesis_times.svg"} {
		if read(t, "P/thesis/counters/"+name) != read(t, "T/"+name) {
			t.Errorf("%s is another one alone", name)
		}
	}
}

// TestPapersFails: a part that fails keeps back no other, and the exit code says so; what is
// wrong with the command line is said before anything runs.
func TestPapersFails(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("nothing", 0o755); err != nil {
		t.Fatal(err)
	}
	r := hyptx("papers", "scalemodel", "--small", "--data", "nothing", "-o", "P").must(t, exitInput)
	match(t, "what failed", r.errOut, "scalemodel/errors: hyptx scalemodel ended with exit code 1")
	if rows := readCSV(t, read(t, "P/papers.csv")); len(rows) < 12 {
		t.Errorf("%d rows of the parts that did not fail", len(rows))
	}
	for args, want := range map[string]string{
		"papers":                 "-o says which folder",
		"papers nobody -o P":     "nobody: no paper or part",
		"papers -o -":            "name a folder",
		"papers -o P --jobs 0":   "jobs",
		"papers -o P --plot gif": "plot",
		// A part that was asked for by its name is not left out with a remark.
		"papers scalemodel/errors -o P":                  "scalemodel/errors needs a folder with the tables .* --data DIR",
		"papers hypa scalemodel/speedup -o P":            "scalemodel/speedup needs",
		"papers hypa -o P --max-memory nothing":          "max-memory",
		"papers accelwattch/clock -o P --launch-timeout": "launch-timeout",
	} {
		match(t, args, hyptx(strings.Fields(args)...).must(t, exitUsage).errOut, want)
	}
	list := hyptx("papers", "--list").must(t, exitDone).out
	for _, want := range []string{"thesis/mixbench, about", "hyptx st2 SAMPLES/benchmarks", "cannot be repeated"} {
		match(t, "the list", list, want)
	}
}

// TestPapersLimits: the limits of other commands are those of the parts, too; a time is of all
// parts together.
func TestPapersLimits(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"papers accelwattch/clock -o P --max-memory 1KiB":         "the limit has to be raised with --max-memory",
		"papers accelwattch/clock -o P --max-instructions 10":     "--max-instructions",
		"papers accelwattch/clock -o P --launch-timeout 1ns":      "--launch-timeout",
		"papers thesis/counters hypa --small -o P --timeout 20ms": "--timeout",
	} {
		match(t, args, hyptx(strings.Fields(args)...).must(t, exitInput).errOut, want)
	}
	hyptx(strings.Fields("papers accelwattch/clock -o P --max-memory 8GiB --launch-timeout 10m --jobs 1")...).must(t, exitDone)
}

// TestPapersInterrupted: wherever it ends, what stands in the folder is whole, and the parts
// that ran are in papers.csv.
func TestPapersInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, wait := range []time.Duration{300 * time.Millisecond, time.Second, 2 * time.Second} {
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(wait, func() { cancel(errInterrupted) })
		var errOut bytes.Buffer
		code := runContext(ctx, strings.Fields("papers thesis hypa --small -o P"), strings.NewReader(""), io.Discard, &errOut)
		if ctx.Err() != nil && code == exitInput {
			match(t, "the end", errOut.String(), "interrupted")
		}
		err := filepath.WalkDir("P", func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(d.Name(), ".hyptx") {
				t.Errorf("%s was left behind", path)
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

// TestPaperParts: every part has a name of its own, commands, and programs that ship; every claim
// is of a part; and what cannot be repeated is of a paper.
func TestPaperParts(t *testing.T) {
	parts, names := map[string]bool{}, map[string]bool{}
	for _, p := range papersList() {
		names[p.Name] = true
		for _, part := range p.Parts {
			if parts[p.Name+"/"+part.Name] || part.Shows == "" || part.Seconds <= 0 || len(part.Commands) == 0 {
				t.Errorf("%s: %+v", p.Name, part)
			}
			parts[p.Name+"/"+part.Name] = true
			for _, small := range []bool{false, true} {
				samples, commands := part.needed(small, map[string]string{"samples": "S", "out": "O", "data": "D", "format": "svg", "theme": "dark"})
				for _, s := range samples {
					if _, err := shipped.Matching(s); err != nil {
						t.Error(err)
					}
				}
				for _, line := range commands {
					if text := strings.Join(line, " "); strings.ContainsAny(text, "{}") || !strings.Contains(text, "O") {
						t.Errorf("%s: %s", part.Name, text)
					}
				}
			}
		}
	}
	all, err := os.ReadFile("../../internal/papers/claims.tsv")
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(all))
	r.Comma, r.Comment, r.LazyQuotes = '\t', '#', true
	lines, err := r.ReadAll()
	if err != nil || lines[0][0] != "paper" || lines[0][1] != "part" {
		t.Fatal(err)
	}
	for _, c := range lines[1:] {
		if !parts[c[0]+"/"+c[1]] {
			t.Errorf("no part is claimed about: %s", c)
		}
	}
	list, err := papers.Absent()
	if err != nil || len(list) < 15 {
		t.Fatal(len(list), err)
	}
	for _, a := range list {
		if !names[a.Paper] {
			t.Errorf("%+v", a)
		}
	}
}
