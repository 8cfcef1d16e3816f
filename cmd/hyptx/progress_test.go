package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// TestEveryHelp: every command that does something has examples, and its flags fit
// 80 columns.
func TestEveryHelp(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if c.Hidden || c.Name() == "help" || strings.Contains(c.CommandPath(), "completion") {
			return
		}
		if c.Runnable() && !c.HasSubCommands() && c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		_, flags, _ := strings.Cut(hyptx(args...).must(t, exitDone).out, "Flags:")
		for line := range strings.Lines(flags) {
			if len(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), len(line)-1, line)
			}
		}
	}
	walk((&app{}).rootCommand())
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
	b.Finish()
}
