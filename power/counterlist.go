package power

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hyptx/internal/number"
)

// columnFact says what a column of a file of activities is: a row of
// `hyptx power counters`.
type columnFact struct {
	Column string `csv:"column" json:"column"`
	// Also is the column's name in AccelWattch's hw_perf.csv.
	Also    string `csv:"also" json:"also"`
	Meaning string `csv:"meaning" json:"meaning"`
	// Nsight are Nsight Compute's metrics that stand for it, with the factor that
	// their sum is multiplied by.
	Nsight string `csv:"nsight_metrics" json:"nsight_metrics"`
	// PTXSimPJ, SASSSimPJ and HWPJ are what one costs on a GV100 in these variants.
	PTXSimPJ  number.Real `csv:"ptx_sim_pj" json:"ptx_sim_pj"`
	SASSSimPJ number.Real `csv:"sass_sim_pj" json:"sass_sim_pj"`
	HWPJ      number.Real `csv:"hw_pj" json:"hw_pj"`
}

// counterMeanings say what is counted.
var counterMeanings = [NumCounters]string{
	TotInst: "warp instructions", IntInst: "warp instructions of integer or no type", FPInst: "warp instructions of floating-point type; INT_INST may have them, too",
	ICacheHit: "fetches of two instructions that hit the instruction cache", ICacheMiss: "fetches that miss it",
	L1ReadHit: "sectors of 32 bytes read that hit the L1", L1ReadMiss: "sectors read that miss it", L1WriteHit: "sectors written that hit the L1", L1WriteMiss: "sectors written that miss it",
	TexHit: "texture cache hits", TexMiss: "texture cache misses", ConstHit: "warp instructions that read constants", ConstMiss: "those of them that miss the constant cache",
	SharedPass: "passes over the banks of shared memory", RegRead: "32 for each register operand of a warp instruction", RegWrite: "32 for each register written", NonReg: "32 for each source operand that is no register",
	Int: "active lanes of integer instructions", IntMul24: "active lanes of 24-bit products", IntMul32: "active lanes of 32-bit products", IntMul: "active lanes of other integer products", IntDiv: "active lanes of integer divisions",
	FP: "active lanes of f32 and f16 instructions", FPMul: "active lanes of f32 and f16 products and multiply-adds", FPDiv: "active lanes of f32 and f16 divisions",
	DP: "active lanes of f64 instructions", DPMul: "active lanes of f64 products and multiply-adds", DPDiv: "active lanes of f64 divisions",
	Sqrt: "active lanes of square roots", Log: "active lanes of logarithms", Sin: "active lanes of sines and cosines", Exp: "active lanes of exponentials",
	Tensor: "active lanes of matrix products", Tex: "active lanes of texture loads",
	DRAMRead: "bursts of 32 bytes read from DRAM", DRAMWrite: "bursts written to DRAM", DRAMPrecharge: "rows of DRAM that are opened",
	L2ReadHit: "sectors read that hit the L2", L2ReadMiss: "sectors read that miss it", L2WriteHit: "sectors written that hit the L2", L2WriteMiss: "sectors written that miss it",
	Flit: "flits of 40 bytes between SMs and L2, both ways",
}

// stateMeanings are the columns that are no counters.
var stateMeanings = []columnFact{
	{Column: "run", Meaning: "the row's name; kernel, label and launch do as well"},
	{Column: "launch", Meaning: "which launch of a program a row is of: its number from 0"},
	{Column: "cycles", Meaning: "elapsed cycles of the SM clock", Nsight: nsightCycles + " / SMs"},
	{Column: "time_us", Meaning: "elapsed time in us, instead of cycles"},
	{Column: "clock_mhz", Meaning: "the SM clock in MHz", Nsight: nsightClock},
	{Column: "lanes", Meaning: "mean active lanes of a warp instruction, 0 to 32"},
	{Column: "idle_sms", Meaning: "mean number of SMs without a CTA", Nsight: nsightActive},
	{Column: "duty", Meaning: "duty cycle of the pipelines, 0 to 1", Nsight: strings.Join(nsightPipes, " + ") + fmt.Sprintf(", over %d x ", len(nsightPipes)) + nsightCycles},
	{Column: "measured_w", Meaning: "measured power in W, to tune to"},
}

// ColumnFacts returns the columns that files of activities may have, as rows and as a
// table, the metrics below it.
func ColumnFacts() (rows []*columnFact, text string) {
	rows = columnFacts()
	return rows, factTable(rows)
}

func columnFacts() []*columnFact {
	also := map[string]string{}
	for _, short := range slices.Sorted(maps.Keys(shortNames)) {
		also[shortNames[short]] = short
	}
	var out []*columnFact
	for _, s := range stateMeanings {
		out = append(out, &s)
	}
	energies := [3]*Energies{PTXSim.energies(), sassSim.energies(), hw.energies()}
	for c := range Duty { // which is a state, not a count
		f := &columnFact{Column: c.String(), Meaning: counterMeanings[c]}
		for i, to := range []*number.Real{&f.PTXSimPJ, &f.SASSSimPJ, &f.HWPJ} {
			*to = number.Ratio(energies[i].perEventPJ(c))
		}
		var metrics []string
		for _, name := range nsightSums[c] {
			weight := nsightMetrics[name].weight
			for _, bytes := range slices.Sorted(maps.Keys(nsightInstead)) {
				if nsightInstead[bytes] == name {
					name += fmt.Sprintf(", or %s / %d", bytes, burstBytes)
				}
			}
			if weight != 1 {
				name = fmt.Sprintf("%g x %s", weight, name)
			}
			metrics = append(metrics, name)
		}
		f.Nsight = strings.Join(metrics, " + ")
		out = append(out, f)
	}
	for _, f := range out {
		f.Also = also[f.Column]
	}
	return out
}

func factTable(facts []*columnFact) string {
	var table, metrics strings.Builder
	fmt.Fprintf(&table, "  %-11s %-15s %24s\n  %-11s %-15s %8s %8s %8s  %s\n", "", "", "pJ each on a GV100", "column", "also", "ptx_sim", "sass_sim", "hw", "what it is")
	for _, f := range facts {
		fmt.Fprintf(&table, "  %-11s %-15s %8s %8s %8s  %s\n", f.Column, f.Also, short(f.PTXSimPJ), short(f.SASSSimPJ), short(f.HWPJ), f.Meaning)
		if f.Nsight != "" {
			fmt.Fprintf(&metrics, "  %-11s %s\n", f.Column, f.Nsight)
		}
	}
	return fmt.Sprintf("%s\nNsight Compute's metrics that stand for them, as columns or in its own CSV:\n%s", table.String(), metrics.String())
}

// short writes an energy with four digits.
func short(x number.Real) string {
	if !x.Known {
		return ""
	}
	return fmt.Sprintf("%.4g", x.X)
}
