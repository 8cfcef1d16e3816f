// Package pathlist gathers HyPA's lists of paths: per CTA the different lists of code
// blocks that its threads entered, and who has which. Threads whose list is not that of
// most deviate. Start with [Lists].
package pathlist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Row is a row of --path-lists: a list of a CTA.
type Row struct {
	Network  string `csv:"network" json:"network" doc:"which launch"`
	Kernel   string `csv:"kernel" json:"kernel" doc:"^"`
	Launch   string `csv:"launch" json:"launch" doc:"^"`
	CTA      int64  `csv:"cta" json:"cta" doc:"linear index: x + grid_x (y + grid_y z)"`
	List     string `csv:"list" json:"list" doc:"numbers of the code blocks in the order in which threads entered them, 3*17 for 17 times 3 in a row. 0 is the kernel's beginning; each label begins a block, the kernel's first, then those of functions that it may call"`
	Threads  string `csv:"threads" json:"threads" doc:"threads of the CTA with this list, and how many"`
	Count    int    `csv:"count" json:"count" doc:"^"`
	Deviates int    `csv:"deviates" json:"deviates" doc:"1 if more threads of the CTA have another list, or as many, with a lower number among them"`
}

// maxBytes bounds the lists of a launch: they are kept until they are written (own choice).
const maxBytes = 256 << 20

// Lists are those of a launch. Threads are added in any order of CTAs, those of one CTA
// together, with ascending numbers.
type Lists struct {
	rows []*Row
	// of is the CTA that is added, lists its rows by list, threads those of each row.
	of      int64
	lists   map[string]*Row
	threads map[*Row][]int
	bytes   int
}

// Add adds a thread: blocks, each with how often in a row.
func (l *Lists) Add(cta int64, thread int, runs [][2]uint32) error {
	if l.lists == nil || l.of != cta {
		l.end()
		l.of, l.lists, l.threads = cta, map[string]*Row{}, map[*Row][]int{}
	}
	var text []byte
	for i, run := range runs {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, uint64(run[0]), 10)
		if run[1] > 1 {
			text = strconv.AppendUint(append(text, '*'), uint64(run[1]), 10)
		}
	}
	row := l.lists[string(text)]
	if row == nil {
		row = &Row{CTA: cta, List: string(text)}
		l.lists[row.List] = row
		l.rows = append(l.rows, row)
		if l.bytes += len(text); l.bytes > maxBytes {
			return fmt.Errorf("lists of paths of more than %d MiB; choose fewer launches with option launch", maxBytes>>20)
		}
	}
	row.Count++
	l.threads[row] = append(l.threads[row], thread)
	return nil
}

// end finishes the rows of the CTA that was added.
func (l *Lists) end() {
	var most *Row
	for _, row := range l.rows[len(l.rows)-len(l.lists):] { // by their lowest threads
		if most == nil || row.Count > most.Count {
			most = row
		}
	}
	for _, row := range l.lists {
		row.Threads = ranges(l.threads[row])
		if row != most {
			row.Deviates = 1
		}
	}
}

// Rows returns the rows, CTA by CTA, lists by their lowest threads, as of a launch.
func (l *Lists) Rows(network, kernel, launch string) []*Row {
	l.end()
	l.lists, l.threads = nil, nil
	slices.SortStableFunc(l.rows, func(a, b *Row) int { return int(a.CTA - b.CTA) })
	for _, row := range l.rows {
		row.Network, row.Kernel, row.Launch = network, kernel, launch
	}
	return l.rows
}

// ranges writes ascending numbers, those in a row as 3-17.
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := strconv.Itoa(numbers[i])
		if j > i {
			part += "-" + strconv.Itoa(numbers[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}
