package scalemodel

import (
	"math"

	"hyptx/internal/number"
)

// Row is a row of predict.csv: what a method says of a workload on a target.
type Row struct {
	Bench          string      `csv:"bench" doc:"name of the workload"`
	Scenario       Scenario    `csv:"scenario" doc:"strong: the same input on all sizes; weak: work grows with the GPU; mcm: the same of chiplets"`
	Target         int         `csv:"target" doc:"size of the target: SMs or chiplets"`
	Method         Method      `csv:"method" doc:"scale_model_tool: the published tool's rule; scale_model_equation: the paper's equations; else a fit through the two scale models"`
	IPCPred        number.Real `csv:"ipc_pred" doc:"predicted thread instructions a cycle of the whole GPU; empty at and past a cliff if f_mem is unknown"`
	IPCLow         number.Real `csv:"ipc_low" doc:"the prediction with f_mem of 0 and of 0.9 where it is unknown; else ipc_pred"`
	IPCHigh        number.Real `csv:"ipc_high" doc:"^"`
	IPCReal        number.Real `csv:"ipc_real" doc:"what was measured or simulated of the target"`
	ErrPct         number.Real `csv:"err_pct" doc:"100 (ipc_pred - ipc_real) / ipc_real"`
	Region         Region      `csv:"region" doc:"where the target lies: before the cliff (pre), at it (cliff: the first size past the fall), past it (post)"`
	C              float64     `csv:"C" doc:"growth of the IPC from the smaller scale model to the larger one, over proportional growth (equation 1)"`
	ToolC          float64     `csv:"c" doc:"the tool's factor, 2 - 1/C"`
	FMem           number.Real `csv:"f_mem" doc:"share of the cycles of the larger scale model in which an SM fetches nothing because all its warps wait for memory"`
	FMemSource     string      `csv:"f_mem_source" doc:"where f_mem is from: user; stalls: counted in the simulation, cycle by cycle; hits: the share of time that the larger scale model would not take if the L2 missed nothing"`
	CliffAt        number.Int  `csv:"cliff_at" doc:"first size past the cliff; empty where there is none"`
	ClassPredicted Class       `csv:"class_predicted" doc:"how the program scales from the smallest size to the target, as predicted and as measured: super-linear above 1.04 of proportional, sub-linear below 0.90"`
	ClassReal      Class       `csv:"class_real" doc:"^"`
	Missing        string      `csv:"missing" doc:"why the method says nothing of this workload"`
	Assumed        string      `csv:"assumed_inputs" doc:"of a program that is simulated: what nobody gave of its launches and was assumed, as in profile.csv"`
}

// round6 keeps six decimals: what is beyond is noise of the arithmetic.
func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// Rows are the rows of a workload's targets for some methods; source says where its f_mem
// is from.
func (w *Workload) Rows(methods []Method, d Detector, source string) (rows []*Row, warning string, err error) {
	for _, m := range methods {
		p, err := w.Predict(m, d)
		if err != nil {
			return nil, "", err
		}
		if text := p.Warning(); text != "" {
			warning = w.Name + ": " + text
		}
		for i := models; i < len(p.Points); i++ {
			rows = append(rows, w.row(p, i, source))
		}
	}
	return rows, warning, nil
}

// row is that of the i-th size.
func (w *Workload) row(p *Prediction, i int, source string) *Row {
	at := p.Points[i]
	r := &Row{
		Bench: w.Name, Scenario: w.Scenario, Target: at.Size, Method: p.Method, IPCPred: at.IPC, IPCReal: w.IPC[i],
		Region: at.Region, C: round6(w.C()), ToolC: round6(w.ToolC()), Missing: p.Missing, Assumed: w.Assumed,
	}
	if p.Missing == "" {
		r.IPCLow, r.IPCHigh = number.Ratio(at.Low), number.Ratio(at.High)
	}
	if w.FMem.Known {
		r.FMem, r.FMemSource = w.FMem, source
	}
	if p.Cliff != NoCliff {
		r.CliffAt = number.Count(uint64(w.Sizes[p.Cliff]))
	}
	if at.IPC.Known {
		r.ClassPredicted = ClassOf(w.Sizes[0], w.IPC[0].X, at.Size, at.IPC.X)
	}
	if r.IPCReal.Known {
		r.ClassReal = ClassOf(w.Sizes[0], w.IPC[0].X, at.Size, r.IPCReal.X)
	}
	if at.IPC.Known && r.IPCReal.Known {
		r.ErrPct = number.Ratio(Error(at.IPC.X, r.IPCReal.X))
	}
	return r
}

// SuiteRow is a row of errors.csv.
type SuiteRow struct {
	Scenario  Scenario `csv:"scenario" doc:"as in predict.csv"`
	Target    int      `csv:"target" doc:"size of the target"`
	Method    Method   `csv:"method" doc:"as in predict.csv"`
	Workloads int      `csv:"workloads" doc:"how many had a prediction and a measurement"`
	Avg       float64  `csv:"avg" doc:"mean and maximum of the errors without their signs, in percent"`
	Max       float64  `csv:"max" doc:"^"`
	Worst     string   `csv:"worst_bench" doc:"the workload of the maximum"`
}

// Row is the suite as a row.
func (s *Suite) Row() *SuiteRow {
	return &SuiteRow{s.Scenario, s.Target, s.Method, s.Workloads, round6(s.Avg), round6(s.Max), s.Worst}
}

// SpeedupRow is a row of speedup.csv.
type SpeedupRow struct {
	Scenario      Scenario    `csv:"scenario" doc:"as in predict.csv"`
	Bench         string      `csv:"bench" doc:"name of the workload, or 'mean' over those of the target"`
	Target        int         `csv:"target" doc:"size of the target"`
	TargetSeconds number.Real `csv:"t_target" doc:"seconds that simulating the target took"`
	Seconds       number.Real `csv:"t_models" doc:"seconds that both scale models took"`
	Speedup       float64     `csv:"speedup" doc:"t_target / t_models"`
}

// SpeedupRows are those of all workloads, and the means over the workloads of each
// scenario and target.
func SpeedupRows(all []Durations) (rows []*SpeedupRow, err error) {
	for begin := 0; begin < len(all); {
		scenario := all[begin].Scenario
		var list []Speedup
		for ; begin < len(all) && all[begin].Scenario == scenario; begin++ {
			of, err := Speedups(all[begin].Bench, all[begin].Durations)
			if err != nil {
				return nil, err
			}
			list = append(list, of...)
		}
		targets := map[int]bool{}
		for _, s := range list {
			rows = append(rows, &SpeedupRow{scenario, s.Bench, s.Target, number.Ratio(s.TargetSeconds), number.Ratio(s.Seconds), round6(s.Times())})
		}
		for _, s := range list {
			if !targets[s.Target] {
				targets[s.Target] = true
				rows = append(rows, &SpeedupRow{Scenario: scenario, Bench: MeanBench, Target: s.Target, Speedup: round6(MeanSpeedup(list, s.Target).X)})
			}
		}
	}
	return rows, nil
}

// MeanBench stands for the mean over all workloads.
const MeanBench = "mean"
