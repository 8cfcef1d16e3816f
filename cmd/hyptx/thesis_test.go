package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestThesis: the tables and figures of all experiments, or of those that were asked for, at
// their small size; the screen says the same as the file.
func TestThesis(t *testing.T) {
	slowToRace(t)
	t.Chdir(t.TempDir())
	hyptx("thesis", "--small", "-o", "all", "--plot", "svg").must(t, exitDone)
	tables, _ := filepath.Glob("all/*.csv")
	figures, _ := filepath.Glob("all/*.svg")
	if len(tables) != 4 || len(figures) != 12 {
		t.Errorf("%d tables, %d figures", len(tables), len(figures))
	}
	for _, name := range figures {
		if text := read(t, name); !strings.HasSuffix(text, "</svg>\n") {
			t.Errorf("%s is no whole figure", name)
		}
	}
	hyptx("thesis", "counters", "-o", "some").must(t, exitDone)
	if files, _ := os.ReadDir("some"); len(files) != 2 {
		t.Errorf("files of one experiment: %v", files)
	}
	screen := hyptx("thesis", "counters").must(t, exitDone).out
	for _, row := range readCSV(t, read(t, "some/thesis_times.csv")) {
		if ms := row["printed_ms"]; ms != "" && !strings.Contains(screen, strings.TrimSuffix(ms, "0")) {
			t.Errorf("%v is not on the screen", row)
		}
	}
	for args, want := range map[string]string{
		"thesis nothing":             "must be counters, programs, mixbench or memory",
		"thesis --plot svg":          "which folder",
		"thesis -o -":                "name a folder",
		"thesis memory --gpu nobody": "nobody",
	} {
		match(t, args, hyptx(strings.Fields(args)...).must(t, exitUsage).errOut, want)
	}
}
