package silicon

import (
	"cmp"
	"slices"

	"hyptx/internal/accuracy"
	"hyptx/internal/number"
	"hyptx/internal/table"
)

// group are rows that are judged together.
type group struct {
	set, gpu, mhz string
	rows          []*Row
	// joint: rows of several groups, for which no constant stands.
	joint bool
}

// groups are the rows by set, GPU and clock, in the order of the tables; behind the
// clocks of a GPU all of them, and at the end all rows.
func groups(rows []*Row) (list []*group) {
	boards := table.Groups(rows, func(r *Row) string { return r.Set + "\x00" + r.GPU })
	for _, board := range boards {
		first := board[0]
		clocks := table.Groups(board, func(r *Row) string { return r.SMMHz.String() })
		for _, of := range clocks {
			list = append(list, &group{set: first.Set, gpu: first.GPU, mhz: megahertz(of[0].SMMHz), rows: of})
		}
		if len(clocks) > 1 {
			list = append(list, &group{set: first.Set, gpu: first.GPU, mhz: "all", rows: board})
		}
	}
	if len(boards) > 1 {
		list = append(list, &group{set: "all", rows: rows, joint: true})
	}
	return list
}

// tuned reports whether the rows are configurations of one program, of which
// somebody would choose one.
func (g *group) tuned() bool {
	return len(g.rows) > 2 && !slices.ContainsFunc(g.rows, func(r *Row) bool { return r.Program != g.rows[0].Program || r.SMMHz != g.rows[0].SMMHz })
}

// megahertz writes a clock; "-" is not recorded.
func megahertz(x number.Real) string {
	return cmp.Or(x.Fixed(-1), "-")
}

// pairs are the rows of which a figure was measured and predicted; of is how many
// were measured.
func (g *group) pairs(measured, predicted func(*Row) number.Real) (list []accuracy.Pair, of int) {
	for _, r := range g.rows {
		m, p := measured(r), predicted(r)
		if m.Known {
			of++
		}
		if m.Known && p.Known {
			list = append(list, accuracy.Pair{Measured: m.X, Predicted: p.X})
		}
	}
	return list, of
}
