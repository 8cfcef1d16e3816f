package power

import (
	"io"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/number"
	"hyptx/internal/roofline"
	"hyptx/internal/table"
)

// Row is a row of power.csv: a launch with all its repetitions, or the total of
// a network. What is not known is empty, and Missing says what it would take.
type Row struct {
	Network     string     `csv:"network" json:"network" doc:"which launch, where"`
	Kernel      string     `csv:"kernel" json:"kernel" doc:"^"`
	Label       string     `csv:"label" json:"label" doc:"^"`
	Launch      string     `csv:"launch" json:"launch" doc:"^"`
	Kind        string     `csv:"kind" json:"kind" doc:"what the row is of: 'launch', or 'total' of a program"`
	Count       number.Int `csv:"count" json:"count" doc:"^"`
	GPU         string     `csv:"gpu" json:"gpu" doc:"^"`
	Variant     string     `csv:"variant" json:"variant" doc:"whose energies: calibrated, or AccelWattch's ptx_sim, sass_sim, hw, hybrid ..."`
	Rules       string     `csv:"rules" json:"rules" doc:"AccelWattch as in the paper or as released"`
	EnergyBasis string     `csv:"energy_basis" json:"energy_basis" doc:"'tuned' on this GPU, 'calibrated' on boards of its family, or 'extrapolated' from another"`
	StaticBasis string     `csv:"static_basis" json:"static_basis" doc:"static power: 'tuned', 'scaled' (12 to 16 nm) or 'unscaled'; of variant calibrated as energy_basis"`
	Calibration string     `csv:"calibration" json:"calibration" doc:"of variant calibrated: the family and the boards whose micro-benchmarks it was fitted to with the error of the fit, and the type of memory; 'not measured' where the GPU's own architecture or memory was not"`
	Counts      string     `csv:"counts" json:"counts" doc:"what was charged: 'ptx', 'machine' or 'measured'"`

	// StartUs is when the launch begins, one after the other: with TimeUs and
	// PowerW that is power over time.
	StartUs number.Real `csv:"start_us" json:"start_us" doc:"one launch after the other: with power_w, power over time"`
	TimeUs  number.Real `csv:"time_us" json:"time_us" doc:"of all repetitions"`
	// ActivityTimeUs is the time in which what is charged is executed, that of
	// the PTX if PTX is charged: Lanes to WarpIPC and the dynamic power are of it.
	ActivityTimeUs number.Real `csv:"activity_time_us" json:"activity_time_us" doc:"the time in which what is charged is executed: dynamic power and the columns duty and warp_ipc are of it; time_us unless PTX is charged"`
	TimeSource     string      `csv:"time_source" json:"time_source" doc:"the time model, or 'measured'"`
	ClockMHz       number.Real `csv:"clock_mhz" json:"clock_mhz" doc:"SM clock"`
	LimitW         number.Real `csv:"limit_w" json:"limit_w" doc:"the board's power limit where it holds the clock down: clock_mhz and time_us are those at which power_w is the limit"`

	PowerW    number.Real `csv:"power_w" json:"power_w" doc:"mean power"`
	EnergyUJ  number.Real `csv:"energy_uj" json:"energy_uj" doc:"energy; its share in the network's"`
	SharePct  number.Real `csv:"energy_share_pct" json:"energy_share_pct" doc:"^"`
	EDPpJs    number.Real `csv:"edp_pj_s" json:"edp_pj_s" doc:"energy x time"`
	PerInfUJ  number.Real `csv:"energy_per_inference_uj" json:"energy_per_inference_uj" doc:"of the total: energy divided by --batch"`
	Category  string      `csv:"static_category" json:"static_category" doc:"the instruction mix that static power goes by"`
	Lanes     number.Real `csv:"lanes" json:"lanes" doc:"mean active lanes"`
	ActiveSMs number.Real `csv:"active_sms" json:"active_sms" doc:"mean SMs with CTAs"`
	Duty      number.Real `csv:"duty" json:"duty" doc:"duty cycle of the pipelines"`
	// WarpIPC is how many warp instructions are charged a clock of the activities'
	// time, for each SM that can have a CTA.
	WarpIPC number.Real `csv:"warp_ipc" json:"warp_ipc" doc:"warp instructions charged a clock, for each SM that can have a CTA"`

	// CacheModel and CacheErrorPct are those of the profile: a sample's error.
	CacheModel    string      `csv:"cache_model" json:"cache_model" doc:"whose caches; the error of a sample, as in profile.csv"`
	CacheErrorPct number.Real `csv:"cache_error_pct" json:"cache_error_pct" doc:"^"`

	Implausible   string `csv:"implausible" json:"implausible" doc:"which bound of the hardware is exceeded, and by what"`
	Missing       string `csv:"missing" json:"missing" doc:"why there is no figure"`
	Exactness     string `csv:"exactness" json:"exactness" doc:"of the counts, the weaker of exactness and memory_exactness in profile.csv"`
	AssumedInputs string `csv:"assumed_inputs" json:"assumed_inputs" doc:"^"`

	GroupEnergy
	ComponentEnergy
}

// GroupEnergy is energy by reporting group in uJ, in the order of the groups.
type GroupEnergy struct {
	Const       number.Real `csv:"const_uj" json:"const_uj" doc:"energy by the paper's groups; they sum to energy_uj"`
	Static      number.Real `csv:"static_uj" json:"static_uj" doc:"^"`
	IdleSM      number.Real `csv:"idle_sm_uj" json:"idle_sm_uj" doc:"^"`
	RegFile     number.Real `csv:"regfile_uj" json:"regfile_uj" doc:"^"`
	ALU         number.Real `csv:"alu_uj" json:"alu_uj" doc:"^"`
	FPU         number.Real `csv:"fpu_dpu_uj" json:"fpu_dpu_uj" doc:"^"`
	SFU         number.Real `csv:"sfu_uj" json:"sfu_uj" doc:"^"`
	Tensor      number.Real `csv:"tensor_uj" json:"tensor_uj" doc:"^"`
	L1Shared    number.Real `csv:"l1d_shared_uj" json:"l1d_shared_uj" doc:"^"`
	ICacheConst number.Real `csv:"icache_ccache_uj" json:"icache_ccache_uj" doc:"^"`
	L2NoC       number.Real `csv:"l2_noc_uj" json:"l2_noc_uj" doc:"^"`
	DRAM        number.Real `csv:"dram_mc_uj" json:"dram_mc_uj" doc:"^"`
	Others      number.Real `csv:"others_uj" json:"others_uj" doc:"^"`
}

func (g *GroupEnergy) all() [numGroups]*number.Real {
	return [numGroups]*number.Real{&g.Const, &g.Static, &g.IdleSM, &g.RegFile, &g.ALU, &g.FPU, &g.SFU, &g.Tensor, &g.L1Shared, &g.ICacheConst, &g.L2NoC, &g.DRAM, &g.Others}
}

// ComponentEnergy is energy by component in uJ, in the order of [Component];
// constant, idle and static are groups of their own.
type ComponentEnergy struct {
	IBP     number.Real `csv:"ibp_uj" json:"ibp_uj" doc:"energy by component, under AccelWattch's names"`
	ICP     number.Real `csv:"icp_uj" json:"icp_uj" doc:"^"`
	DCP     number.Real `csv:"dcp_uj" json:"dcp_uj" doc:"^"`
	TCP     number.Real `csv:"tcp_uj" json:"tcp_uj" doc:"^"`
	CCP     number.Real `csv:"ccp_uj" json:"ccp_uj" doc:"^"`
	SHRDP   number.Real `csv:"shrdp_uj" json:"shrdp_uj" doc:"^"`
	RFP     number.Real `csv:"rfp_uj" json:"rfp_uj" doc:"^"`
	INTP    number.Real `csv:"intp_uj" json:"intp_uj" doc:"^"`
	FPUP    number.Real `csv:"fpup_uj" json:"fpup_uj" doc:"^"`
	DPUP    number.Real `csv:"dpup_uj" json:"dpup_uj" doc:"^"`
	Mul24   number.Real `csv:"int_mul24p_uj" json:"int_mul24p_uj" doc:"^"`
	Mul32   number.Real `csv:"int_mul32p_uj" json:"int_mul32p_uj" doc:"^"`
	Mul     number.Real `csv:"int_mulp_uj" json:"int_mulp_uj" doc:"^"`
	IntDiv  number.Real `csv:"int_divp_uj" json:"int_divp_uj" doc:"^"`
	FPMul   number.Real `csv:"fp_mulp_uj" json:"fp_mulp_uj" doc:"^"`
	FPDiv   number.Real `csv:"fp_divp_uj" json:"fp_divp_uj" doc:"^"`
	Sqrt    number.Real `csv:"fp_sqrtp_uj" json:"fp_sqrtp_uj" doc:"^"`
	Lg      number.Real `csv:"fp_lgp_uj" json:"fp_lgp_uj" doc:"^"`
	Sin     number.Real `csv:"fp_sinp_uj" json:"fp_sinp_uj" doc:"^"`
	Exp     number.Real `csv:"fp_exp_uj" json:"fp_exp_uj" doc:"^"`
	DPMul   number.Real `csv:"dp_mulp_uj" json:"dp_mulp_uj" doc:"^"`
	DPDiv   number.Real `csv:"dp_divp_uj" json:"dp_divp_uj" doc:"^"`
	TensorP number.Real `csv:"tensorp_uj" json:"tensorp_uj" doc:"^"`
	TexP    number.Real `csv:"texp_uj" json:"texp_uj" doc:"^"`
	Sched   number.Real `csv:"schedp_uj" json:"schedp_uj" doc:"^"`
	L2CP    number.Real `csv:"l2cp_uj" json:"l2cp_uj" doc:"^"`
	NoCP    number.Real `csv:"nocp_uj" json:"nocp_uj" doc:"^"`
	DRAMP   number.Real `csv:"dramp_uj" json:"dramp_uj" doc:"^"`
	MCP     number.Real `csv:"mcp_uj" json:"mcp_uj" doc:"^"`
	PipeP   number.Real `csv:"pipep_uj" json:"pipep_uj" doc:"^"`
}

func (c *ComponentEnergy) all() [IdleCoreP]*number.Real {
	return [IdleCoreP]*number.Real{&c.IBP, &c.ICP, &c.DCP, &c.TCP, &c.CCP, &c.SHRDP, &c.RFP, &c.INTP, &c.FPUP, &c.DPUP, &c.Mul24, &c.Mul32, &c.Mul, &c.IntDiv,
		&c.FPMul, &c.FPDiv, &c.Sqrt, &c.Lg, &c.Sin, &c.Exp, &c.DPMul, &c.DPDiv, &c.TensorP, &c.TexP, &c.Sched, &c.L2CP, &c.NoCP, &c.DRAMP, &c.MCP, &c.PipeP}
}

// micro and pico are units in one.
const (
	micro = 1e6
	pico  = 1e12
)

// setEnergy fills the energies from those in J.
func (r *Row) setEnergy(joules *watts) {
	r.EnergyUJ = number.Ratio(micro * joules.total())
	for g, x := range joules.byGroup() {
		*r.GroupEnergy.all()[g] = number.Ratio(micro * x)
	}
	for c, to := range r.ComponentEnergy.all() {
		*to = number.Ratio(micro * joules[c])
	}
}

// total is what stands for the launch in the row of a total.
const total = analysis.KindTotal

var tableColumns = []table.Column{
	{Heading: "launch"}, {Heading: "label", Text: true, Rank: 7}, {Heading: "kernel", Text: true}, {Heading: "gpu", Text: true}, {Heading: "time us", Rank: 1}, {Heading: "W"}, {Heading: "uJ"},
	{Heading: "% of energy", Rank: 2}, {Heading: "const uJ", Rank: 5}, {Heading: "static uJ", Rank: 5}, {Heading: "idle uJ", Rank: 5}, {Heading: "dynamic uJ", Rank: 4}, {Heading: "most dynamic", Text: true, Rank: 3},
	{Heading: "implausible", Text: true}, {Heading: "missing", Text: true},
}

// WriteTable writes a readable table, below it what the rows without a figure
// lack. It is at most width columns wide, 0 for any.
func WriteTable(w io.Writer, rows []*Row, width int) error {
	cells := make([][]string, len(rows))
	var reasons []string
	for i, r := range rows {
		missing := r.Missing
		if missing != "" && r.Launch != total {
			reasons = append(reasons, missing)
			missing = "see below"
		}
		dynamicUJ, group, groupUJ := r.dynamic()
		most := ""
		if groupUJ > 0 {
			most = groupTitles[group]
		}
		dynamic := number.Real{X: dynamicUJ, Known: r.EnergyUJ.Known}
		cells[i] = []string{r.Launch, r.Label, analysis.ShortKernel(r.Kernel), r.GPU, r.TimeUs.String(), r.PowerW.String(), r.EnergyUJ.String(), r.SharePct.String(),
			r.Const.String(), r.Static.String(), r.IdleSM.String(), dynamic.String(), most, r.shortReason(), missing}
	}
	var b strings.Builder
	table.Write(&b, tableColumns, cells, func(i int) bool { return rows[i].Launch == total && i > 0 }, width)
	var below strings.Builder
	roofline.WriteMissing(&below, "no figure", reasons)
	b.WriteString(table.Narrow(below.String(), width))
	_, err := io.WriteString(w, b.String())
	return err
}

// shortReason is a mark in the table; WriteSummary has the whole reason.
func (r *Row) shortReason() string {
	if r.Implausible == "" || r.Launch == total {
		return r.Implausible
	}
	return "yes, see below"
}

// dynamic returns the dynamic energy in uJ, the group with most of it, and how
// much that has.
func (r *Row) dynamic() (sumUJ float64, most group, mostUJ float64) {
	for g, x := range r.GroupEnergy.all() {
		if group(g) <= groupIdleSM {
			continue
		}
		if sumUJ += x.X; x.X > mostUJ {
			most, mostUJ = group(g), x.X
		}
	}
	return sumUJ, most, mostUJ
}

// WriteSweepTable writes a sweep over clocks as a table.
func WriteSweepTable(w io.Writer, rows []*SweepRow, width int) error {
	columns := []table.Column{{Heading: "network", Text: true}, {Heading: "gpu", Text: true}, {Heading: "MHz"}, {Heading: "V / V ref", Rank: 1}, {Heading: "time us"}, {Heading: "W"}, {Heading: "uJ"}, {Heading: "EDP pJ s"},
		{Heading: "least", Text: true}, {Heading: "implausible", Text: true}, {Heading: "missing", Text: true}}
	cells := make([][]string, len(rows))
	for i, r := range rows {
		cells[i] = []string{r.Network, r.GPU, r.ClockMHz.String(), r.VoltageRatio.String(), r.TimeUs.String(), r.PowerW.String(), r.EnergyUJ.String(), r.EDPpJs.String(), r.Best, r.Implausible, r.Missing}
	}
	return table.Write(w, columns, cells, nil, width)
}
