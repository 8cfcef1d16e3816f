package gpu

// A roofline needs what a GPU reaches, and documents say what it cannot exceed.
// Where micro-benchmarks measured a rate, that one is taken, else the product of
// lanes, SMs and clock; each rate says which it is, for the two are not the same
// kind of number. Of a GV100 (80 SMs, 64 FP32 lanes, 1.447 GHz) nobody published
// the measurement, so that its single precision is 2 x 64 x 80 x 1.447 = 14,817
// GFLOPS, "datasheet".

// Where a rate comes from.
const (
	FromMeasurement = "measured"  // micro-benchmarks on the hardware
	FromDataSheet   = "datasheet" // throughput per SM and clock x SMs x clock, or the theoretical rate
)

// Rate is a rate of the whole GPU and where it comes from.
type Rate struct {
	Value      float64 `json:"value"`
	Provenance string  `json:"provenance"`
}

// Rates are the GPU's parameters of the roofline (Konstantinidis 2017, table
// 4.3). Multiply-adds are two operations in SP, DP and Int.
type Rates struct {
	SPGFLOPS  Rate `json:"t_sp_gflops"`
	DPGFLOPS  Rate `json:"t_dp_gflops"`
	IntGIOPS  Rate `json:"t_int_giops"`
	AddGIOPS  Rate `json:"t_add_giops"`
	LdstGOPS  Rate `json:"t_ldst_gops"`
	MemGBPerS Rate `json:"b_mem_gb_per_s"`
}

// Rates returns the parameters of the roofline: each as measured, or else from
// the data sheet at the boost clock (section 4.2.3 of the thesis). What neither
// gives is an [UnknownError].
func (g *GPU) Rates() (Rates, error) {
	var r Rates
	for _, p := range []struct {
		to         *Rate
		measured   *Float
		path       string
		perClock   *Float
		operations float64
	}{
		{&r.SPGFLOPS, g.Measured.TSPGFLOPS, "units.fp32_per_clock", g.Units.FP32PerClock, 2},
		{&r.DPGFLOPS, g.Measured.TDPGFLOPS, "units.fp64_per_clock", g.Units.FP64PerClock, 2},
		{&r.IntGIOPS, g.Measured.TIntGIOPS, "units.int_mul_per_clock", g.Units.IntMulPerClock, 2},
		{&r.AddGIOPS, g.Measured.TAddGIOPS, "units.int_add_per_clock", g.Units.IntAddPerClock, 1},
		{&r.LdstGOPS, g.Measured.TLdstGOPS, "units.ldst_per_clock", g.Units.LdstPerClock, 1},
	} {
		if p.measured != nil {
			*p.to = Rate{p.measured.Value, FromMeasurement}
			continue
		}
		giga, err := g.DataSheetGOPS(p.path, p.perClock)
		if err != nil {
			return Rates{}, err
		}
		*p.to = Rate{p.operations * giga, FromDataSheet}
	}
	var err error
	r.MemGBPerS, err = g.Bandwidth()
	return r, err
}

// Bandwidth returns the effective DRAM bandwidth in GB/s (1e9 bytes): measured,
// else the theoretical one. No efficiency is assumed.
func (g *GPU) Bandwidth() (Rate, error) {
	if g.Measured.BMemGBPerS != nil {
		return Rate{g.Measured.BMemGBPerS.Value, FromMeasurement}, nil
	}
	v, err := Need(g, "dram.bandwidth_gb_per_s", g.DRAM.BandwidthGBPerS)
	return Rate{v, FromDataSheet}, err
}

// L1BytesPerClock returns what hits in the L1 of one SM give a clock, in bytes:
// as measured, else the theoretical rate.
func (g *GPU) L1BytesPerClock() (Rate, error) {
	return cacheRate(g, "l1.bytes_per_clock", g.L1.MeasuredBytesPerClock, g.L1.BytesPerClock)
}

// L2BytesPerClock returns what all slices of the L2 give a clock, in bytes: as
// measured, else the theoretical rate.
func (g *GPU) L2BytesPerClock() (Rate, error) {
	return cacheRate(g, "l2.bytes_per_clock", g.L2.MeasuredBytesPerClock, g.L2.BytesPerClock)
}

func cacheRate(g *GPU, path string, measured *Float, theoretical *Int) (Rate, error) {
	if measured != nil {
		return Rate{measured.Value, FromMeasurement}, nil
	}
	v, err := Need(g, path, theoretical)
	return Rate{float64(v), FromDataSheet}, err
}

// DataSheetGOPS returns what a unit of the SMs does at most, in 1e9 thread
// instructions a second at the clock of [GPU.ClockMHz]; path is the unit's
// field, for the error.
func (g *GPU) DataSheetGOPS(path string, perClock *Float) (float64, error) {
	lanes, err := Need(g, path, perClock)
	if err != nil {
		return 0, err
	}
	sms, err := Need(g, "sms", g.SMs)
	if err != nil {
		return 0, err
	}
	mhz, err := g.ClockMHz()
	return lanes * float64(sms) * mhz / 1e3, err
}

// ClockMHz returns the clock at which the GPU runs when nobody says otherwise:
// boost, or base where no boost clock is known.
func (g *GPU) ClockMHz() (float64, error) {
	if g.Clock.BoostMHz == nil && g.Clock.BaseMHz != nil {
		return g.Clock.BaseMHz.Value, nil
	}
	return Need(g, "clock.boost_mhz", g.Clock.BoostMHz)
}
