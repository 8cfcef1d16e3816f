// Package number has the values of cells: an exact count or a ratio, or nothing.
// Rows of all tables are made of them, so that what is unknown is written as an
// empty cell (CSV) or null (JSON) and never taken for 0.
package number

import (
	"encoding/json"
	"strconv"
)

// Int is an exact count, or nothing: a column that a mode does not compute.
type Int struct {
	N     uint64
	Known bool
}

// Count returns a known count.
func Count(n uint64) Int { return Int{n, true} }

// String returns the decimal digits, "" for nothing.
func (i Int) String() string {
	if !i.Known {
		return ""
	}
	return strconv.FormatUint(i.N, 10)
}

// Times returns a count times n.
func (i Int) Times(n uint64) Int { return Int{n * i.N, i.Known} }

// Less returns what is left of a count without j, which is a part of it.
func (i Int) Less(j Int) Int { return Int{i.N - j.N, i.Known && j.Known} }

// MarshalCSV implements gocsv's interface.
func (i Int) MarshalCSV() (string, error) { return i.String(), nil }

// MarshalJSON writes null for nothing.
func (i Int) MarshalJSON() ([]byte, error) {
	if !i.Known {
		return []byte("null"), nil
	}
	return []byte(i.String()), nil
}

// Real is a ratio or a time, or nothing.
type Real struct {
	X     float64
	Known bool
}

// Ratio returns a known ratio.
func Ratio(x float64) Real { return Real{x, true} }

// Percent returns 100*part/whole, or otherwise where whole is 0.
func Percent(part, whole uint64, otherwise Real) Real {
	if whole == 0 {
		return otherwise
	}
	return Ratio(100 * float64(part) / float64(whole))
}

// PercentOf is Percent of counts; unknown if one of them is.
func PercentOf(part, whole Int, otherwise Real) Real {
	if !part.Known || !whole.Known {
		return Real{}
	}
	return Percent(part.N, whole.N, otherwise)
}

// ErrorPct returns by how many percent a prediction is off; unknown without either.
func ErrorPct(predicted, measured Real) Real {
	if !predicted.Known || !measured.Known {
		return Real{}
	}
	return Ratio(100 * (predicted.X - measured.X) / measured.X)
}

// Fixed returns so many decimals, as many as there are for -1; "" for nothing.
func (r Real) Fixed(decimals int) string {
	if !r.Known {
		return ""
	}
	return strconv.FormatFloat(r.X, 'f', decimals, 64)
}

// Scaled returns a number in another unit.
func (r Real) Scaled(by float64) Real { return Real{r.X * by, r.Known} }

// String returns four decimals, "" for nothing.
func (r Real) String() string { return r.Fixed(4) }

// MarshalCSV implements gocsv's interface.
func (r Real) MarshalCSV() (string, error) { return r.String(), nil }

// MarshalJSON writes null for nothing.
func (r Real) MarshalJSON() ([]byte, error) {
	if !r.Known {
		return []byte("null"), nil
	}
	return json.Marshal(r.X)
}
