package adder

import "math"

// What slices save. The paper's own figures are those of 8 bits: 0.60 of the reference
// voltage, 75 to 87 % of an adder's energy, 70 % after all that speculation takes. For
// other widths a law of delay against voltage stands in for its synthesis [ours],
// calibrated at that one point.

const (
	threshold = 0.25 // of the reference voltage
	alpha     = 1.3  // of the alpha-power law (Sakurai and Newton, 1990)
	published = 0.60 // of the reference voltage, for slices of 8 bits
)

// delay is that of a gate against that at the reference voltage, but for a factor.
func delay(v float64) float64 { return v / math.Pow(v-threshold, alpha) }

// WidthEnergy is what slices of a width come to against the reference adder.
type WidthEnergy struct{ Delay, Voltage, Capacitance, Energy float64 }

// EnergyOf returns that of slices of w bits: the lowest voltage at which they are as fast
// as the reference adder, and the energy of an addition at it. The delay of an adder
// goes with the logarithm of its bits and a constant.
func EnergyOf(w int) WidthEnergy {
	logBits, logAll := math.Log2(float64(w)), math.Log2(generalBits)
	t := delay(1) / delay(published)
	c := (t*logAll - 3) / (1 - t) // 3: of 8 bits
	e := WidthEnergy{Delay: (logBits + c) / (logAll + c), Capacitance: (logBits + 1) / (logAll + 1)}
	low, high := threshold+1e-6, 1.0
	for range 200 {
		v := (low + high) / 2
		if delay(v)*e.Delay > delay(1) {
			low = v
		} else {
			high = v
		}
	}
	e.Voltage = high
	e.Energy = e.Capacitance * high * high
	return e
}

// Register files (AccelWattch, variant SASS_SIM): reading and writing a 32-bit register
// of a lane, and an integer addition of a lane, in picojoules.
const (
	readPJ  = 2.500
	writePJ = 2.137
	addPJ   = 6.922
)

// CRFReadPJ is what reading a row for a warp's add takes, if the file costs what the
// register file does for each bit; size scales that for a smaller array.
func CRFReadPJ(w int, size float64) float64 { return float64(CRFBits(w)) / 32 * readPJ * size }

// CRFWritePJ is what writing a lane's entry takes.
func CRFWritePJ(w int, size float64) float64 {
	return float64(generalBits/w-1) / 32 * writePJ * size
}

// CRFShare is the read against a warp's integer addition.
func CRFShare(w int, size float64) float64 { return CRFReadPJ(w, size) / (Lanes * addPJ) }

// Saving returns the part of an adder's energy that is saved where recomputed slices of
// each add's slices compute again, and the register file takes a share.
func Saving(w int, recomputed, share float64) float64 {
	return 1 - EnergyOf(w).Energy*(1+recomputed) - share
}

// PublishedSaving is what the paper gives for an adder with all that speculation takes.
const PublishedSaving = 0.70

// SystemSaving is the part of the energy of a GPU with its DRAM that is saved, of which
// share is spent in ALUs and FPUs; ChipSaving that without DRAM.
func SystemSaving(share, saving float64) float64       { return share * saving }
func ChipSaving(share, saving, ofDRAM float64) float64 { return share / (1 - ofDRAM) * saving }

// ShifterJ is the dynamic energy of so many bits that change.
func ShifterJ(flips uint64) float64 { return float64(flips) * shifterFJ * femto }

// AddPJ is what the reference adder of a kind takes for an addition: that of 32 bits
// scaled by bits [ours].
func AddPJ(k Kind) float64 { return addPJ * float64(k.Bits()) / 32 }

// WorstFlips is how many bits change at the edges of an adder if all do.
func WorstFlips(k Kind) uint64 { return shifterEdges * uint64(k.Bits()) }
