package calibrate

import (
	"fmt"
	"io"
	"strconv"

	"hyptx/analysis"
	"hyptx/internal/source"
)

// A network is measured as it runs: its launches one after the other, over and over,
// for some seconds. Its power is what a tuned model must predict without having been
// tuned to it, since the micro-benchmarks that tune it do one thing at a time.

// NetworkPoint is the point of a network that runs in a loop: the program of a
// launch manifest, over and over.
func NetworkPoint(manifest string, seconds float64) (Point, error) {
	src, err := source.Read(manifest, nil)
	if err != nil {
		return Point{}, err
	}
	if !src.IsManifest() {
		return Point{}, fmt.Errorf("%s: no launch manifest (JSON): PTX alone does not say how it is launched", src.Name)
	}
	s, err := analysis.OpenManifest(src, analysis.DefaultOptions())
	if err != nil {
		return Point{}, err
	}
	name := s.Manifest.Name
	if name == "" {
		name = src.Stem()
	}
	return Point{Kind: Power, Benchmark: name, Seconds: seconds, Repeat: 1, Text: analysis.HashInputs(s.Inputs)[:12], Manifest: manifest}, nil
}

// WriteNetworks writes what networks took and drew: a row for each, for one
// run of its program. It reports how many there are.
func (l *Log) WriteNetworks(w io.Writer) (int, error) {
	rows := [][]string{{"network", "time_us", "measured_w", "std_w", "energy_uj", "clock_mhz", "temperature_c", "throttle", "gpu", "inputs"}}
	for _, m := range l.Measurements {
		if m.Kind != Power || m.Setup != nil || m.Power == nil || m.Benchmark == "idle" {
			continue
		}
		p := m.Power
		us := 1e3 * m.MS / float64(max(m.Launches, 1))
		row := []string{m.Benchmark}
		for _, x := range []float64{us, p.MeanW, p.StdW, us * p.MeanW, p.SMClockMHz, p.TemperatureC} {
			row = append(row, strconv.FormatFloat(x, 'g', 6, 64))
		}
		rows = append(rows, append(row, p.Throttle.String(), l.Subject.Name, m.Text))
	}
	if len(rows) == 1 {
		return 0, nil
	}
	return len(rows) - 1, writeCSV(w, "", rows)
}
