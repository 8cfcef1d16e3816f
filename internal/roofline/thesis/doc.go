// Package thesis is the performance model of E. N. Konstantinidis' thesis ("A
// GPU performance estimation model based on micro-benchmarks and black-box
// kernel profiling", NKUA 2017; the same model in JPDC 107, 2017, 37-56), pure:
// its equations, its two variants for integer kernels, its checks of when a
// prediction can be trusted, and its quadrant-split view. Equation and table
// numbers in this package are the thesis'.
//
// It knows no launch shape, no occupancy, no latency and no launch overhead;
// caches and coalescing enter through the measured DRAM traffic alone. What
// adds those is package roofline. It imports nothing of hyptx.
//
// Start with [Metrics.Kernel] (what a kernel does), [Rates] (what a GPU can)
// and [Predict], which joins them.
//
//	metrics.go    nine counters -> kernel parameters       (4.1 - 4.8)
//	rates.go      a GPU's six rates -> weights             (4.9 - 4.12)
//	predict.go    costs, efficiencies, bound, time         (4.13 - 4.18)
//	measure.go    errors, E_util                           (5.12, 5.13)
//	quadrant.go   the points of the quadrant-split view    (chapter 3.3)
//	trust.go      when not to believe a prediction         (5.1.4, 5.2.5, 5.2.6)
//	data.go       the tables that it prints
package thesis
