package papers

import (
	_ "embed"

	"hyptx/internal/csvfile"
)

// Absence is a table or figure that cannot be repeated.
type Absence struct {
	Paper string `csv:"paper"`
	Item  string `csv:"item"`
	Why   string `csv:"why"`
}

//go:embed absent.tsv
var absent []byte

// Absent are all tables and figures that cannot be repeated, with the reasons.
func Absent() ([]Absence, error) {
	return csvfile.Into[Absence](csvfile.Format{Comma: '\t', Comment: '#'}, "absent.tsv", absent)
}
