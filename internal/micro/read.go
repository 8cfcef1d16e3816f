package micro

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"hyptx/analysis"
	"hyptx/internal/csvfile"
	"hyptx/internal/textfile"
	"hyptx/power"
)

// Folder is a folder of micro-benchmarks, and how it is read.
type Folder struct {
	Dir string
	// CTAs is how many CTAs of each launch are emulated.
	CTAs int
	// Options are those of the emulation.
	Options analysis.Options
	// Note hears what is left out, and how far it has come.
	Note func(format string, args ...any)
}

// Read returns the runs of a folder's tables; others are passed over.
func (f *Folder) Read(ctx context.Context) (runs []*power.MicroRun, err error) {
	tables, err := filepath.Glob(filepath.Join(f.Dir, "measured", "*.csv"))
	if err != nil || len(tables) == 0 {
		return nil, fmt.Errorf("%s: there is no table measured/*.csv", f.Dir)
	}
	for _, path := range tables {
		name, text, err := textfile.Read(path, nil, csvfile.MaxBytes)
		if err != nil {
			return nil, err
		}
		t, err := csvfile.Format{}.Open(name, text)
		if err != nil {
			return nil, err
		}
		var list []*power.MicroRun
		left := 0
		switch {
		case has(t, "utilisations_at", "util_dram", "power_w"):
			list, left, err = readUtilised(t)
		case has(t, "manifest", "launch", "dram_active", "power_w"):
			list, left, err = f.readLaunches(ctx, t)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		f.Note("%s: %d runs, %d left out", filepath.Base(path), len(list), left)
		runs = append(runs, list...)
	}
	if runs == nil {
		return nil, errors.New("no table has utilisations or launches with dram_active and power_w")
	}
	return runs, nil
}

func has(t *csvfile.Table, columns ...string) bool {
	for _, c := range columns {
		if _, ok := t.Column[c]; !ok {
			return false
		}
	}
	return true
}

// numbers reads the cells of a row, and keeps the first error.
type numbers struct {
	table *csvfile.Table
	cells []string
	err   error
}

func (n *numbers) text(column string) string {
	i, ok := n.table.Column[column]
	if !ok || i >= len(n.cells) {
		return ""
	}
	return n.cells[i]
}

// of returns a cell as a number, 0 if it is empty.
func (n *numbers) of(column string) float64 { return n.parse(column, n.text(column)) }

func (n *numbers) parse(column, text string) float64 {
	if text == "" {
		return 0
	}
	x, err := strconv.ParseFloat(text, 64)
	if (err != nil || math.IsInf(x, 0) || math.IsNaN(x)) && n.err == nil {
		n.err = fmt.Errorf("%s is %q: must be a number", column, text)
	}
	return x
}
