package scalemodel

import (
	"fmt"
	"path/filepath"
	"slices"

	"hyptx/internal/csvfile"
	"hyptx/internal/number"
	"hyptx/internal/textfile"
)

// Published is what the paper's artifact has, as a folder of tables: what was simulated
// of each workload and size, and how long that took.
type Published struct {
	Workloads []*Workload
	Durations []Durations
	// Files are those that were read, with their text.
	Files []File
}

// Durations are how long a workload's sizes took.
type Durations struct {
	Bench     string
	Scenario  Scenario
	Durations []Duration
}

// File is a file that was read.
type File struct {
	Name string
	Text []byte
}

// publishedRow is a row of these tables; which of the columns there are differs.
type publishedRow struct {
	Bench    string   `csv:"bench"`
	SMs      int      `csv:"sms,omitempty"`
	Chiplets int      `csv:"chiplets,omitempty"`
	IPC      float64  `csv:"ipc_thread"`
	MPKI     float64  `csv:"llc_mpki"`
	Seconds  *float64 `csv:"sim_time_s,omitempty"`
	FMemPct  *float64 `csv:"f_mem_pct_at_16sm,omitempty"`
}

// maxTableBytes bounds a table: the published ones have 3 KB.
const maxTableBytes = 16 << 20

// ReadPublished reads the three tables of a folder.
func ReadPublished(dir string) (*Published, error) {
	p := &Published{}
	for _, f := range []struct {
		name     string
		scenario Scenario
	}{{"scalemodel_artifact_strong.tsv", Strong}, {"scalemodel_artifact_weak.tsv", Weak}, {"scalemodel_artifact_mcm.tsv", MCM}} {
		path := filepath.Join(dir, f.name)
		_, text, err := textfile.Read(path, nil, maxTableBytes)
		if err != nil {
			return nil, err
		}
		rows, err := csvfile.Into[publishedRow](csvfile.Format{Comma: '\t', Comment: '#'}, path, text)
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, File{path, text})
		if err := p.add(rows, f.scenario); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return p, nil
}

// add adds the rows of a table.
func (p *Published) add(rows []publishedRow, scenario Scenario) error {
	first := len(p.Workloads)
	var last *Durations
	for _, r := range rows {
		i := slices.IndexFunc(p.Workloads[first:], func(w *Workload) bool { return w.Name == r.Bench })
		if i < 0 {
			i = len(p.Workloads) - first
			p.Workloads = append(p.Workloads, &Workload{Name: r.Bench, Scenario: scenario})
		}
		w := p.Workloads[first+i]
		size := max(r.SMs, r.Chiplets)
		w.Sizes, w.IPC, w.MPKI = append(w.Sizes, size), append(w.IPC, number.Ratio(r.IPC)), append(w.MPKI, r.MPKI)
		if r.FMemPct != nil {
			w.FMem = number.Ratio(*r.FMemPct / 100)
		}
		if r.Seconds == nil {
			continue
		}
		if last == nil || last.Bench != r.Bench {
			p.Durations = append(p.Durations, Durations{Bench: r.Bench, Scenario: scenario})
			last = &p.Durations[len(p.Durations)-1]
		}
		last.Durations = append(last.Durations, Duration{size, *r.Seconds})
	}
	for _, w := range p.Workloads[first:] {
		if err := w.Check(); err != nil {
			return err
		}
	}
	return nil
}
