package thesis

import (
	"context"
	"fmt"
	"math"

	"hyptx/internal/number"
	"hyptx/internal/roofline"
	model "hyptx/internal/roofline/thesis"
)

// MixbenchRow is a row of thesis_mixbench.csv: mixbench's read-only kernel at an intensity.
type MixbenchRow struct {
	GPU        string      `csv:"gpu" doc:"GPU of the thesis, type of operations, multiply-adds for each element that is read"`
	Type       string      `csv:"type" doc:"^"`
	Iterations int         `csv:"compute_iters" doc:"^"`
	Intensity  number.Real `csv:"ops_per_byte" doc:"operations a byte of DRAM, of those that the author counts: two for a multiply-add, one for each element"`
	Bound      string      `csv:"bound" doc:"what limits it by the model: Compute or Memory"`
	MS         number.Real `csv:"predicted_ms" doc:"time by the model of what was emulated, and what it implies"`
	GOPS       number.Real `csv:"predicted_gops" doc:"^"`
	GBps       number.Real `csv:"predicted_gb_per_s" doc:"^"`

	MeasuredMS   number.Real `csv:"measured_ms" doc:"as the author published it; how far the model's time is off"`
	MeasuredGOPS number.Real `csv:"measured_gops" doc:"^"`
	MeasuredGBps number.Real `csv:"measured_gb_per_s" doc:"^"`
	ErrorPct     number.Real `csv:"error_pct" doc:"^"`
}

// mixRow is a measurement of mixbench.
type mixRow struct {
	GPU        string  `csv:"gpu"`
	Type       string  `csv:"type"`
	Iterations int     `csv:"compute_iters"`
	Intensity  float64 `csv:"ops_per_byte"`
	MS         float64 `csv:"time_ms"`
	GOPS       float64 `csv:"GOPS"`
	GBps       float64 `csv:"GB_per_s"`
}

// mixTypes are the types of operations as labels of our program have them, and as the
// measurements.
var mixTypes = map[string]string{"f32": "fp32", "f64": "fp64", "s32": "int"}

// elementBytes are the bytes of an element.
var elementBytes = map[string]float64{"fp32": 4, "fp64": 8, "int": 4}

// publishedElements is how many elements the author's mixbench reads.
const publishedElements = 1 << 25

// runMixbench emulates two CTAs of the sweep, once for all GPUs: all CTAs do the same, so
// that counts are those times how many there are (TestMixbench). Each element is read once
// and by whole lines, so that no cache can matter: what loads ask for comes from DRAM.
func runMixbench(ctx context.Context, r *Result, lab Lab) error {
	rates, err := printed[rateRow]("rates.tsv")
	if err != nil {
		return err
	}
	measured, err := printed[mixRow]("mixbench.tsv")
	if err != nil {
		return err
	}
	for _, program := range lab.Programs {
		launches, err := lab.count(ctx, program)
		if err != nil {
			return err
		}
		for _, g := range rates {
			for _, l := range launches {
				row, err := mixOf(l, g)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", program, l.Label, err)
				}
				row.hold(measured)
				r.Mixbench = append(r.Mixbench, row)
			}
		}
	}
	return nil
}

// mixOf predicts a launch of mixbench on a GPU.
func mixOf(l *roofline.Launch, g rateRow) (*MixbenchRow, error) {
	row := &MixbenchRow{GPU: g.GPU}
	if _, err := fmt.Sscanf(l.Label, "%s c=%d", &row.Type, &row.Iterations); err != nil {
		return nil, err
	}
	row.Type = mixTypes[row.Type]
	k, err := l.Metrics.Kernel(model.Any)
	if err != nil {
		return nil, err
	}
	times := publishedElements / (l.CTAs * l.BlockThreads * elementsOfThread)
	k.TrafficBytes, k.Ops, k.Slots = times*l.Metrics.LdSt*elementBytes[row.Type], times*k.Ops, times*k.Slots
	p, err := model.Predict(k, g.rates(), model.MAD)
	if err != nil {
		return nil, err
	}
	ops := float64(publishedElements * (1 + 2*row.Iterations))
	row.Intensity, row.Bound, row.MS = number.Ratio(ops/k.TrafficBytes), string(p.Bound), number.Ratio(1e3*p.Seconds)
	row.GOPS, row.GBps = number.Ratio(ops/p.Seconds/1e9), number.Ratio(p.DRAMGBps)
	return row, nil
}

// hold puts the measurement beside a prediction.
func (row *MixbenchRow) hold(measured []mixRow) {
	for _, m := range measured {
		if m.GPU == row.GPU && m.Type == row.Type && m.Iterations == row.Iterations {
			row.MeasuredMS, row.MeasuredGOPS, row.MeasuredGBps = number.Ratio(m.MS), number.Ratio(m.GOPS), number.Ratio(m.GBps)
			row.ErrorPct = number.Ratio(model.ErrorPct(row.MS.X, m.MS))
		}
	}
}

// elementsOfThread is how many a thread of mixbench reads: four times eight.
const elementsOfThread = 32

// MixbenchError is how far predicted times of a sweep are off measured ones, without sign.
type MixbenchError struct {
	GPU, Type       string
	N               int
	MeanPct, MaxPct number.Real
}

// MixbenchErrors are those of all sweeps.
func (r *Result) MixbenchErrors() (list []*MixbenchError) {
	for _, row := range r.Mixbench {
		if n := len(list); n == 0 || list[n-1].GPU != row.GPU || list[n-1].Type != row.Type {
			list = append(list, &MixbenchError{GPU: row.GPU, Type: row.Type})
		}
		sum := list[len(list)-1]
		if off := math.Abs(row.ErrorPct.X); row.ErrorPct.Known {
			sum.MeanPct = number.Ratio((sum.MeanPct.X*float64(sum.N) + off) / float64(sum.N+1))
			sum.MaxPct = number.Ratio(max(sum.MaxPct.X, off))
			sum.N++
		}
	}
	return list
}
