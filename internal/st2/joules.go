package st2

import (
	"strconv"

	"hyptx/internal/number"
)

// Joules is an energy in joules: of a kernel it may be a nanojoule, which four digits
// behind the point do not show.
type Joules number.Real

func joules(x float64) Joules { return Joules(number.Ratio(x)) }

// String returns six digits, "" if it is unknown.
func (j Joules) String() string {
	if !j.Known {
		return ""
	}
	return strconv.FormatFloat(j.X, 'g', 6, 64)
}

// MarshalCSV writes a cell.
func (j Joules) MarshalCSV() (string, error) { return j.String(), nil }
