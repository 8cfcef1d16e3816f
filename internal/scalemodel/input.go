package scalemodel

import (
	"cmp"
	"fmt"
	"slices"

	"hyptx/internal/csvfile"
	"hyptx/internal/number"
	"hyptx/internal/table"
)

// What users have: a table of IPCs, and one of miss rates, by workload and size.

// IPCRow is a row of a table of IPCs. ipc is what was simulated of a scale model;
// real, or ipc, what was measured of a target.
type IPCRow struct {
	Bench string   `csv:"bench"`
	Size  int      `csv:"size"`
	IPC   *float64 `csv:"ipc,omitempty"`
	Real  *float64 `csv:"real,omitempty"`
}

// ReadIPC reads a table of IPCs: workloads in the order in which they come, sizes
// ascending.
// Of a scale model ipc counts, of a target what was measured: a table of simulations has
// both in one column.
func ReadIPC(name string, text []byte, scenario Scenario) ([]*Workload, error) {
	rows, err := csvfile.Into[IPCRow](csvfile.Format{Comment: '#'}, name, text)
	if err != nil {
		return nil, err
	}
	var all []*Workload
	for _, of := range table.Groups(rows, func(r IPCRow) string { return r.Bench }) {
		w := &Workload{Name: of[0].Bench, Scenario: scenario}
		slices.SortStableFunc(of, func(a, b IPCRow) int { return cmp.Compare(a.Size, b.Size) })
		for _, r := range of {
			ipc := number.Real{}
			if known := cmp.Or(r.Real, r.IPC); known != nil {
				ipc = number.Ratio(*known)
			}
			if len(w.Sizes) < models && r.IPC != nil {
				ipc = number.Ratio(*r.IPC)
			}
			w.Sizes, w.IPC = append(w.Sizes, r.Size), append(w.IPC, ipc)
		}
		if err := w.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, w)
	}
	return all, nil
}

// ReadMPKI adds the miss rates of a table, as `scalemodel mrc` writes it, to workloads. A
// row says its size, or the capacity: then smallestBytes is that of the smallest scale
// model, and capacities grow with sizes. Other capacities are of no size and are left out.
func ReadMPKI(name string, text []byte, all []*Workload, smallestBytes int64) error {
	rows, err := csvfile.Into[curveInput](csvfile.Format{Comment: '#'}, name, text)
	if err != nil {
		return err
	}
	found := map[string]map[int]float64{}
	for _, r := range rows {
		size := r.Size
		if size == 0 && smallestBytes == 0 {
			return fmt.Errorf("%s: %s has capacities and no sizes: the capacity of the smallest scale model is needed", name, r.Bench)
		}
		i := slices.IndexFunc(all, func(w *Workload) bool { return w.Name == r.Bench })
		if i < 0 {
			return fmt.Errorf("%s: %s: no such workload among the IPCs", name, r.Bench)
		}
		if found[r.Bench] == nil {
			found[r.Bench] = map[int]float64{}
		}
		for _, n := range all[i].Sizes {
			if n != size && (size != 0 || r.LLCBytes*int64(all[i].Sizes[0]) != smallestBytes*int64(n)) {
				continue
			}
			if was, ok := found[r.Bench][n]; ok && was != r.MPKI {
				return fmt.Errorf("%s: %s: two MPKI of size %d: %g and %g", name, r.Bench, n, was, r.MPKI)
			}
			found[r.Bench][n] = r.MPKI
		}
	}
	for _, w := range all {
		if of := found[w.Name]; of != nil {
			for _, n := range w.Sizes {
				mpki, ok := of[n]
				if !ok {
					return fmt.Errorf("%s: %s: no MPKI of size %d: the curve needs all sizes", name, w.Name, n)
				}
				w.MPKI = append(w.MPKI, mpki)
			}
		}
		if err := w.Check(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// CurveRow is a row of mrc.csv: the misses of a last-level cache of some capacity.
type CurveRow struct {
	Bench    string      `csv:"bench" doc:"name of the program"`
	LLCBytes int64       `csv:"llc_bytes" doc:"capacity of the last-level cache"`
	Size     int         `csv:"size" doc:"SMs of the scale model that has this capacity; 0 where none does"`
	Accesses uint64      `csv:"accesses" doc:"sectors that the L1s asked for, reads and writes"`
	Misses   float64     `csv:"misses" doc:"those that miss; estimates of a sample are no whole numbers"`
	Cold     float64     `csv:"cold" doc:"those that miss in any cache: first touches"`
	MPKI     float64     `csv:"mpki" doc:"misses for 1,000 thread instructions"`
	MissRate float64     `csv:"miss_rate" doc:"misses / accesses"`
	Method   string      `csv:"method" doc:"exact: stack distances of LRU; nugteren, statstack, statcache: see the command's help"`
	ErrPct   number.Real `csv:"error_pct" doc:"standard error of the misses of a sample, in percent; empty where all accesses were seen"`
	Assumed  string      `csv:"assumed_inputs" doc:"what nobody gave of the program's launches and was assumed, as in profile.csv"`
}

// curveInput is a row of mrc.csv as it is read: of hand-made tables, and with the stamp of
// those that hyptx wrote. Only the first four columns are looked at.
type curveInput struct {
	Bench    string  `csv:"bench"`
	LLCBytes int64   `csv:"llc_bytes,omitempty"`
	Size     int     `csv:"size,omitempty"`
	MPKI     float64 `csv:"mpki"`
	Accesses string  `csv:"accesses,omitempty"`
	Misses   string  `csv:"misses,omitempty"`
	Cold     string  `csv:"cold,omitempty"`
	MissRate string  `csv:"miss_rate,omitempty"`
	Method   string  `csv:"method,omitempty"`
	ErrPct   string  `csv:"error_pct,omitempty"`
	Assumed  string  `csv:"assumed_inputs,omitempty"`
	Version  string  `csv:"hyptx_version,omitempty"`
	Inputs   string  `csv:"inputs_sha256,omitempty"`
}
