package table

import "iter"

// Runs cuts rows into those that follow each other and are alike.
func Runs[R any](rows []R, alike func(a, b R) bool) iter.Seq[[]R] {
	return func(yield func([]R) bool) {
		for len(rows) > 0 {
			n := 1
			for n < len(rows) && alike(rows[0], rows[n]) {
				n++
			}
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

// Groups parts rows by what is said of them, in the order in which that is first said.
func Groups[R any, K comparable](rows []R, key func(R) K) (groups [][]R) {
	at := map[K]int{}
	for _, r := range rows {
		i, met := at[key(r)]
		if !met {
			i, groups = len(groups), append(groups, nil)
			at[key(r)] = i
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// Distinct is what is said of rows, each once, in that order.
func Distinct[R any, K comparable](rows []R, key func(R) K) (keys []K) {
	for _, g := range Groups(rows, key) {
		keys = append(keys, key(g[0]))
	}
	return keys
}
