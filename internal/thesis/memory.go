package thesis

import (
	"context"
	"fmt"
	"strings"

	"hyptx/internal/number"
	"hyptx/internal/roofline"
)

// MemoryRow is a row of thesis_memory.csv: a micro-benchmark of a memory on the chip.
type MemoryRow struct {
	GPU    string `csv:"gpu" doc:"GPU, memory (cache, shared or constants), bytes that a thread moves at once, step of the addresses, and what all threads read together in KiB (caches)"`
	Memory string `csv:"memory" doc:"^"`
	Bytes  int    `csv:"element_bytes" doc:"^"`
	Step   int    `csv:"step" doc:"^"`
	// Threads times step elements.
	KiB   number.Real `csv:"data_kib" doc:"^"`
	Model string      `csv:"time_model" doc:"simulated, analytic, or the thesis', which has neither caches nor wide accesses"`
	Us    number.Real `csv:"time_us" doc:"time, bytes that loads and stores of threads move, and loads and stores, in it"`
	GBps  number.Real `csv:"gb_per_s" doc:"^"`
	GOPS  number.Real `csv:"ldst_gops" doc:"^"`
	// Missing is why there is no time.
	Missing string `csv:"missing" doc:"why there is no time"`
}

// runMemory simulates the micro-benchmarks, and asks the other models about what was
// counted.
func runMemory(ctx context.Context, r *Result, lab Lab) error {
	for _, program := range lab.Programs {
		for _, d := range lab.Memories {
			launches, err := lab.emulate(ctx, program, d, roofline.SimulatedModel)
			if err != nil {
				return err
			}
			for _, m := range []*roofline.Model{roofline.SimulatedModel, roofline.Extended, roofline.Thesis} {
				for _, l := range launches {
					row, err := memoryOf(l, d, m)
					if err != nil {
						return fmt.Errorf("%s, %s: %w", program, l.Label, err)
					}
					r.Memory = append(r.Memory, row)
				}
			}
		}
	}
	return nil
}

// memoryOf is the row of a launch by a model.
func memoryOf(l *roofline.Launch, d *roofline.Device, m *roofline.Model) (*MemoryRow, error) {
	row := &MemoryRow{GPU: d.Name, Model: m.Name}
	words, step, _ := strings.Cut(l.Label, " step ")
	row.Memory = words[:len(words)-1]
	var wide int
	if _, err := fmt.Sscan(words[len(words)-1:], &wide); err != nil {
		return nil, err
	}
	row.Bytes = 4 * wide
	if step != "" {
		if _, err := fmt.Sscan(step, &row.Step); err != nil {
			return nil, err
		}
		row.KiB = number.Ratio(l.CTAs * l.BlockThreads * float64(row.Step*row.Bytes) / 1024)
	}
	o := roofline.DefaultOptions()
	o.Model = m
	t, err := o.Time(l, d)
	if err != nil {
		row.Missing = roofline.Explain(err)
	}
	if row.Us = t.Us; t.Us.X > 0 {
		row.GOPS = number.Ratio(l.Metrics.LdSt / t.Us.X / 1e3)
		row.GBps = number.Ratio(float64(row.Bytes) * row.GOPS.X)
	}
	return row, nil
}
