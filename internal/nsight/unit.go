package nsight

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Unit is a base unit as Nsight Compute writes it, but for [Second] and [Hertz],
// which it writes in several ways.
type Unit string

// The units that are wanted.
const (
	None    Unit = "" // a number alone
	Any     Unit = "any unit"
	Byte    Unit = "byte"
	Cycle   Unit = "cycle"
	Hertz   Unit = "cycle/second"
	Inst    Unit = "inst"
	Percent Unit = "%"
	Request Unit = "request"
	Second  Unit = "second"
	Sector  Unit = "sector"
)

// prefixes of units are decimal (Nsight Compute: 1 Kbyte is 1000 byte).
var prefixes = map[byte]float64{'K': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12}

// seconds are the words for times: long before Nsight Compute 2024, then short.
var seconds = map[string]float64{"second": 1, "msecond": 1e-3, "usecond": 1e-6, "nsecond": 1e-9, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}

// Scale returns what a value in a unit is to be multiplied with to be in the
// wanted one; with [Any], in the base of its own. Counts of instructions and
// requests may come without a unit.
func Scale(unit string, want Unit) (float64, error) {
	scale, base := split(strings.TrimSpace(unit))
	if want == Any || base == want || base == None && (want == Inst || want == Request) {
		return scale, nil
	}
	if want == None {
		return 0, fmt.Errorf("its unit is %q: must be none", unit)
	}
	return 0, fmt.Errorf("its unit is %q, which does not fit: must be %s", unit, want)
}

// split takes a unit apart: "Kbyte" is 1000 byte, "cycle/us" 1e6 cycle/second.
func split(unit string) (float64, Unit) {
	above, below, ratio := strings.Cut(unit, "/")
	scale, base := word(above)
	switch {
	case ratio:
		per, unit := word(below)
		return scale / per, base + "/" + unit
	case base == "hz":
		return scale, Hertz
	}
	return scale, base
}

// word takes the prefix off a unit without a slash. Nsight Compute's words are
// in small letters, prefixes but those of seconds in capitals.
func word(unit string) (float64, Unit) {
	if s, ok := seconds[unit]; ok {
		return s, Second
	}
	if len(unit) > 1 && unit[1] >= 'a' && unit[1] <= 'z' {
		if p, ok := prefixes[unit[0]]; ok {
			return p, Unit(unit[1:])
		}
	}
	return 1, Unit(unit)
}

// grouped is a number whose commas are where they separate thousands.
var grouped = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$`)

// Number reads a number, which may have thousands separated by commas; a comma
// elsewhere (a decimal one, of another locale) is an error.
func Number(cell string) (float64, error) {
	cell = strings.TrimSpace(cell)
	if strings.Contains(cell, ",") {
		if !grouped.MatchString(cell) {
			return 0, fmt.Errorf("%q: a comma may only separate thousands", cell)
		}
		cell = strings.ReplaceAll(cell, ",", "")
	}
	return strconv.ParseFloat(cell, 64)
}

// size reads "(16, 4, 1)" and returns how many that are, 0 if the cell is empty.
func size(cell string) (float64, error) {
	inside := strings.Trim(strings.TrimSpace(cell), "()")
	if inside == "" {
		return 0, nil
	}
	n := 1.0
	for part := range strings.SplitSeq(inside, ",") {
		x, err := strconv.ParseUint(strings.TrimSpace(part), 10, 32)
		if err != nil || x == 0 {
			return 0, fmt.Errorf("%q: must be numbers from 1, as (16, 1, 1)", cell)
		}
		n *= float64(x)
	}
	return n, nil
}
