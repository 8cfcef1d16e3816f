package scalemodel

import (
	"slices"
	"strings"

	"hyptx/analysis"
)

// AssumedInputs is the column of that name of a whole program: each phrase of its launches
// once, in their order.
func AssumedInputs(p *analysis.Profile) string {
	const join = "; " // as in profile.csv
	var all []string
	for _, lp := range p.Launches {
		for phrase := range strings.SplitSeq(lp.AssumedInputs, join) {
			if phrase != "" && !slices.Contains(all, phrase) {
				all = append(all, phrase)
			}
		}
	}
	return strings.Join(all, join)
}
