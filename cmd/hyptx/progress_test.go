package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// TestEveryHelp: every command says in a line what it does, has examples, the two
// that cobra makes as well, and its help fits 80 columns. One that runs says what
// arguments it takes: cobra would take any.
func TestEveryHelp(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if c.Hidden {
			return
		}
		shell := c.Parent() != nil && c.Parent().Name() == "completion"
		if c.Example == "" && !shell {
			t.Errorf("%s has no Example", c.CommandPath())
		}
		if c.Short == "" {
			t.Errorf("%s has no Short", c.CommandPath())
		}
		if c.Runnable() && c.Args == nil && !shell && c.Name() != "help" {
			t.Errorf("%s has no Args", c.CommandPath())
		}
		help := hyptx(append(strings.Fields(c.CommandPath())[1:], "--help")...).must(t, exitDone).out
		for line := range strings.Lines(help) {
			if len(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), len(line)-1, line)
			}
		}
		if same := hyptx(append([]string{"help"}, strings.Fields(c.CommandPath())[1:]...)...).must(t, exitDone).out; same != help {
			t.Errorf("help %s is\n%s\n--help\n%s", c.CommandPath(), same, help)
		}
	}
	walk(newApp(nil, io.Discard, io.Discard).rootCommand())
}

// TestExamplesRun: a folded example is the same command for a shell.
func TestExamplesRun(t *testing.T) {
	const long = "  hyptx power tune runs.csv --gpu a100 --constant 45 --clocks clocks.csv --idle idle.csv -o my-a100.json"
	got := examples("  hyptx isa\n"+long, 60)
	if want := strings.ReplaceAll(got, "\\\n", ""); strings.Join(strings.Fields(want), " ") != strings.Join(strings.Fields("hyptx isa "+long), " ") || !strings.HasPrefix(got, "  hyptx isa\n  hyptx power") {
		t.Errorf("%s", got)
	}
	for line := range strings.Lines(got) {
		if len(line) > 61 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

// TestBarEnds: neither an error nor a note nor the end leaves a bar behind, and
// what the library tells afterwards shows none.
func TestBarEnds(t *testing.T) {
	var out bytes.Buffer
	a := newApp(nil, io.Discard, &out)
	a.bar.begin = time.Now().Add(-2 * time.Second)
	a.bar.Start("slow", 10)
	a.bar.Done(5)
	a.note("told")
	_, after, _ := strings.Cut(out.String(), "5/10")
	if blank, _, ok := strings.Cut(after, "hyptx: note: told\n"); !ok || !strings.HasSuffix(strings.TrimRight(blank, " "), "\r") && !strings.HasSuffix(blank, "\r") {
		t.Errorf("the note stands behind the bar: %q", out.String())
	}
	a.bar.end()
	n := out.Len()
	a.bar.Done(6)
	if out.Len() != n {
		t.Errorf("a bar after the end: %q", out.String()[n:])
	}
}

// TestLongLaunch: one launch that takes long has a bar, too, a short one none.
func TestLongLaunch(t *testing.T) {
	var out bytes.Buffer
	b := &bar{begin: time.Now(), out: &out}
	b.Start("quick", 10)
	b.Done(5)
	if out.Len() > 0 {
		t.Errorf("a bar at once: %q", out.String())
	}
	b.begin = b.begin.Add(-2 * time.Second) // as if the launch had taken so long
	b.Done(6)
	match(t, "bar", out.String(), `quick.*6/10`)
	b.clear()
}
