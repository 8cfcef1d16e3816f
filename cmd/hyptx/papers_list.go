package main

// Of ST²'s programs ours that have its kernels, and how hyptx watches them.
var (
	st2Samples, st2Files = inBenchmarks("-small", "backprop", "binomial", "bplustree", "dct", "dwt2d", "histogram", "kmeans", "mergesort", "mriq",
		"pathfinder", "qrng", "sad", "sgemm", "sobol", "sortnets", "srad", "walsh")
	fewST2, fewST2Files = inBenchmarks("-small", "pathfinder", "walsh")
)

// Programs of ours that are each about one part of a GPU, as the paper's micro-benchmarks are.
var shareSamples, shareFiles = inBenchmarks("-small", "mixbench", "membench", "wmma", "qrng", "mriq", "vectors", "sortnets")

// st2PaperFlags: the additions that machine code makes, on adders of 32 bits as a TITAN V has
// them. In PTX an address is one addition of 64, whose 8 slices compute again more often than
// the 2.73 that the paper has at most.
const st2PaperFlags = " --code machine --intra-warp parallel --crf-arbitration ideal -o {out} --plot {format} --theme {theme}"

// st2OrderFlags: in turn, the warps of an SM add at one instruction after each other, so that
// an entry of all instructions is one of each.
const st2OrderFlags = " --order emulated --no-prediction --design Prev+Peek,Prev+ModPC4+Peek,VaLHALLA,Gtid+Prev,Ltid+Prev+ModPC4+Peek" + st2PaperFlags

// scaleTables are what the tables of the artifact are, which are nobody's to ship.
const scaleTables = "a folder with the tables scalemodel_artifact_strong.tsv, _weak.tsv and _mcm.tsv: --data DIR"

const sweepFiles = " -o {out}/predict.csv --sweep {out}/sweep.csv --plot-sweep {out}/scalemodel_sweep.{format} --theme {theme}"

// thesisGPUs are the six CUDA GPUs of the thesis.
const thesisGPUs = "gtx-480,gtx-660,gtx-960,gtx-1060,tesla-m2050,tesla-k20c"

var hypaPaper = paper{"hypa", "Metz et al., Hybrid PTX Analysis for GPU accelerated CNN inferencing", []paperPart{
	{Name: "networks", Shows: "table 2 and the figures: 32 networks, each three times", Seconds: 60,
		Commands: []string{"hypa --repeat 3 -o {out} --plot {format} --theme {theme}"},
		Small:    []string{"hypa mobilenet alexnet --repeat 2 -o {out} --plot {format} --theme {theme}"}},
}}

var thesisPaper = paper{"thesis", "Konstantinidis, A GPU performance estimation model, PhD, NKUA 2017", []paperPart{
	{Name: "counters", Shows: "tables 4.5, 4.10, 5.9, 5.11, 5.12, 5.14: the model on printed counters", Seconds: 1,
		Commands: []string{"thesis counters -o {out} --plot {format} --theme {theme}"}},
	{Name: "programs", Shows: "the same, figures 4.3 and 4.5, tables 5.8, 5.13, 5.15: from our programs, emulated", Seconds: 15,
		Commands: []string{"thesis counters programs -o {out} --plot {format} --theme {theme}"},
		Small:    []string{"thesis programs --small -o {out} --plot {format} --theme {theme}"}},
	{Name: "mixbench", Shows: "figures 3.2 to 3.4 and 5.5 to 5.7: mixbench over the rooflines", Seconds: 1,
		Commands: []string{"thesis mixbench -o {out} --plot {format} --theme {theme}"},
		Small:    []string{"thesis mixbench --small -o {out} --plot {format} --theme {theme}"}},
	{Name: "memory", Shows: "figures 6.1 and 6.2, on a GV100 in place of a GTX-660 and a GTX-960", Seconds: 50,
		Commands: []string{"thesis memory -o {out} --plot {format} --theme {theme}"},
		Small:    []string{"thesis memory --small -o {out} --plot {format} --theme {theme}"}},
	{Name: "quadrant", Shows: "figure 5.4: the quadrant-split view of SOR", Seconds: 20,
		Samples:      []string{"benchmarks/sor"},
		Commands:     []string{"roofline {samples}/benchmarks/sor.json --time-model thesis --plot-kind quadrant --gpu " + thesisGPUs + " -o {out}/roofline.csv --plot {out}/thesis_fig5_4_quadrant.{format} --theme {theme}"},
		SmallSamples: []string{"benchmarks/sor-small"},
		Small:        []string{"roofline {samples}/benchmarks/sor-small.json --time-model thesis --plot-kind quadrant --gpu " + thesisGPUs + " -o {out}/roofline.csv --plot {out}/thesis_fig5_4_quadrant.{format} --theme {theme}"}},
}}

var accelwattchPaper = paper{"accelwattch", "Kandiah et al., AccelWattch, MICRO 2021", []paperPart{
	{Name: "validation", Shows: "the errors of figures 7 and 10: all variants and architectures", Seconds: 1,
		Commands: []string{"power validate -o {out}/accuracy.csv"}},
	{Name: "sheets", Shows: "figures 3 to 5 and 7 to 12, and GPUWattch: from published powers and coefficients", Seconds: 2,
		Commands: []string{"accelwattch -o {out} --plot {format} --theme {theme}"}},
	{Name: "clock", Shows: "figure 2: energy and time against the clock, of our tiled product", Seconds: 2,
		Samples:  []string{"kernels/gemm_tiled"},
		Commands: []string{"power {samples}/kernels/gemm_tiled.json --gpu gv100 --clock 600:1500:100 -o {out}/clock.csv --plot {out}/accelwattch_fig2_clock.{format} --theme {theme}"}},
	{Name: "components", Shows: "figures 8, 9 and 11: power by component, and over time, of our tiled product", Seconds: 2,
		Samples:  []string{"kernels/gemm_tiled"},
		Commands: []string{"power {samples}/kernels/gemm_tiled.json --gpu gv100 -o {out}/power.csv --plot {out}/accelwattch_fig9_components.{format} --over-time {out}/over_time.csv --plot-over-time {out}/accelwattch_over_time.{format} --theme {theme}"}},
	{Name: "shares", Shows: "figure 6, of our micro-benchmarks in the place of its 102: who takes which component", Seconds: 3,
		Samples: shareSamples, Commands: []string{"power" + shareFiles + " --gpu gv100 --variant sass_sim -o {out}/power.csv --shares {out}/shares.csv --plot-shares {out}/accelwattch_fig6_shares.{format} --theme {theme}"}},
	{Name: "end-to-end", Shows: "figure 9 from PTX: our versions of its 26 kernels", Seconds: 960,
		Commands:     []string{"power validate --end-to-end -o {out}/kernels.csv"},
		SmallSamples: []string{"benchmarks/backprop"},
		Small:        []string{"power validate --end-to-end={samples}/benchmarks --time-model analytic --variant sass_sim -o {out}/kernels.csv"}},
}}

var st2Paper = paper{"st2", "Kandiah et al., ST² GPU, DAC 2021", []paperPart{
	{Name: "adders", Shows: "figures 1 to 3 and 5 to 7: 17 of its 18 programs, at small sizes", Seconds: 10,
		Samples: st2Samples, Commands: []string{"st2" + st2Files + st2PaperFlags},
		SmallSamples: fewST2, Small: []string{"st2" + fewST2Files + st2PaperFlags}},
	{Name: "order", Shows: "figures 3 and 5 with warps one after the other: histories of all instructions meet others", Seconds: 2,
		Samples: st2Samples, Commands: []string{"st2" + st2Files + st2OrderFlags},
		SmallSamples: fewST2, Small: []string{"st2" + fewST2Files + st2OrderFlags}},
}}

var scalemodelPaper = paper{"scalemodel", "SeyyedAghaei et al., GPU Scale-Model Simulation, HPCA 2024", []paperPart{
	{Name: "machines", Shows: "table I: the scale models", Seconds: 1,
		Commands: []string{"scalemodel config --target paper --sms 8,16,32,64 -o {out}/config.csv"}},
	{Name: "errors", Shows: "figures 4, 6 and 8, table V: errors from the published simulations", Seconds: 1, Needs: scaleTables,
		Commands: []string{
			"scalemodel validate {data} -o {out}/errors.csv --predictions {out}/predict.csv --plot {out}/scalemodel_errors_strong.{format} --theme {theme} --scenario strong",
			"scalemodel validate {data} --plot {out}/scalemodel_errors_weak.{format} --theme {theme} --scenario weak",
			"scalemodel validate {data} --plot {out}/scalemodel_errors_mcm.{format} --theme {theme} --scenario mcm"}},
	{Name: "speedup", Shows: "speedups of simulation, from the published times", Seconds: 1, Needs: scaleTables,
		Commands: []string{"scalemodel speedup {data} -o {out}/speedup.csv --plot {out}/scalemodel_speedup.{format} --theme {theme}"}},
	{Name: "simulated", Shows: "figure 4 for a sum of vectors, on our simulator: 10 and 20 SMs say what 80 do", Seconds: 50,
		Samples: []string{"benchmarks/vectors"},
		Commands: []string{"scalemodel predict {samples}/benchmarks/vectors.json --gpu gv100 --sms 10,20,40,80 -o {out}/predict.csv --plot {out}/scalemodel_vectors.{format} --theme {theme}",
			"scalemodel mrc {samples}/benchmarks/vectors.json --gpu gv100 -o {out}/mrc.csv --plot {out}/scalemodel_vectors_mrc.{format} --theme {theme}"},
		SmallSamples: []string{"benchmarks/vectors-small"},
		Small: []string{"scalemodel predict {samples}/benchmarks/vectors-small.json --gpu gv100 --sms 10,20,40 -o {out}/predict.csv --plot {out}/scalemodel_vectors.{format} --theme {theme}",
			"scalemodel mrc {samples}/benchmarks/vectors-small.json --gpu gv100 -o {out}/mrc.csv --plot {out}/scalemodel_vectors_mrc.{format} --theme {theme}"}},
	{Name: "network", Shows: "what the paper could not: MobileNetV2 from 8 to 1,024 SMs, launch by launch, with what stops each", Seconds: 150,
		Samples:      []string{"networks/mobilenetv2"},
		Commands:     []string{"scalemodel predict {samples}/networks/mobilenetv2.json --gpu gv100 --sms 8,16,32,64,128,256,512,1024" + sweepFiles},
		SmallSamples: []string{"benchmarks/vectors-small"},
		Small:        []string{"scalemodel predict {samples}/benchmarks/vectors-small.json --gpu gv100 --sms 10,20,40" + sweepFiles}},
}}

// papersList are all papers that are repeated, with the command lines that do it.
func papersList() []paper {
	return []paper{hypaPaper, thesisPaper, accelwattchPaper, st2Paper, scalemodelPaper}
}
