package scalemodel

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hyptx/internal/number"
)

// near fails where a number is off by more than the share of what it should be.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if d := got - want; !(d <= share*abs(want) && -d <= share*abs(want)) {
		t.Errorf("%s: %.8g, want %.8g", what, got, want)
	}
}

func abs(x float64) float64 { return max(x, -x) }

// golden reads a table of the shared data, without its comments and header; the test is
// skipped where it is absent.
func golden(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", "scalemodel", name))
	if err != nil {
		t.Skip("no shared data: ", err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	r := csv.NewReader(strings.NewReader(strings.Join(lines, "")))
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

func parsed(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// workload makes one of strong scaling from 8 SMs on; an IPC of 0 is unknown, a negative
// f_mem too.
func workload(fMem float64, mpki []float64, ipc ...float64) *Workload {
	w := &Workload{Name: "w", Scenario: Strong, MPKI: mpki, FMem: number.Real{X: fMem, Known: fMem >= 0}}
	for i, x := range ipc {
		w.Sizes = append(w.Sizes, 8<<i)
		w.IPC = append(w.IPC, number.Real{X: x, Known: x > 0})
	}
	return w
}

// last is what a method says of the largest size.
func last(t *testing.T, w *Workload, m Method, d Detector) float64 {
	t.Helper()
	p, err := w.Predict(m, d)
	if err != nil {
		t.Fatal(err)
	}
	at := p.Points[len(p.Points)-1].IPC
	if !at.Known {
		t.Fatalf("%s: unknown", m)
	}
	return at.X
}
