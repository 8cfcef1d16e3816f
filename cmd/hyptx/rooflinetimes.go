package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/roofline"
)

// --time: measured times beside the model's, or in their place (power). Who measures has names of
// his own: a launch's number, its label, or for what a timer cannot take apart a range
// of either, as 3-7 or conv1-conv4. What was measured of one launch stands in its row;
// of several in a row of their own, which sums them.

// launchNames are what a program's launches are called, in order: the n-th has the
// number n. A name may be of several.
type launchNames []string

// namesOf are the labels of a program's launches, "" for one that has none.
func namesOf(sessions []*analysis.Session) (list launchNames) {
	for _, s := range sessions {
		list = append(list, s.Manifest.Labels()...)
	}
	return list
}

// called returns the launches of a name or range, nil if there are none.
func (l launchNames) called(name string) []int {
	if list := l.named(name); list != nil {
		return list
	}
	for i, c := range name {
		if c != '-' {
			continue
		}
		first, last := l.named(name[:i]), l.named(name[i+1:])
		if first != nil && last != nil && first[0] <= last[len(last)-1] {
			var list []int
			for n := first[0]; n <= last[len(last)-1]; n++ {
				list = append(list, n)
			}
			return list
		}
	}
	return nil
}

// named returns the launches of a label, else of a number.
func (l launchNames) named(name string) (list []int) {
	name = strings.TrimSpace(name)
	for n, label := range l {
		if label == name && name != "" {
			list = append(list, n)
		}
	}
	if n, err := strconv.Atoi(name); list == nil && err == nil && n >= 0 && n < len(l) && strconv.Itoa(n) == name {
		list = []int{n}
	}
	return list
}

// numbered returns the times of a program's launches by their numbers: rows that are of one launch.
func (l launchNames) numbered(times map[string]roofline.Time) map[string]roofline.Time {
	out := map[string]roofline.Time{}
	for _, name := range slices.Sorted(maps.Keys(times)) {
		if list := l.named(name); len(list) == 1 {
			out[strconv.Itoa(list[0])] = times[name]
		}
	}
	return out
}

// twice is an error that names a launch of which two rows of a file are.
func (l launchNames) twice(file string, times map[string]roofline.Time) error {
	by := map[int]string{}
	for _, name := range slices.Sorted(maps.Keys(times)) {
		if list := l.named(name); len(list) == 1 {
			if err := onlyOnce(by, file, list[0], name); err != nil {
				return err
			}
		}
	}
	return nil
}

// onlyOnce notes by which name a file calls a launch; an error if that has another one already.
func onlyOnce(by map[int]string, file string, launch int, name string) error {
	if other, is := by[launch]; is {
		return fmt.Errorf("%s: launch %d stands twice: as %s and %s", file, launch, other, name)
	}
	by[launch] = name
	return nil
}

// timedRange are launches that were measured together.
type timedRange struct {
	name     string
	launches []int
	us       float64
}

// launchTimes are the rows of --time, by what they are of.
type launchTimes struct {
	launch map[string]float64 // us by number
	ranges []timedRange
}

// findTimes finds the launches of the rows of --time. Rows that are of none, or of
// one that another row has, are in the error; the others count all the same.
func (r *rooflineResult) findTimes(f *rooflineFlags, names launchNames) (m launchTimes, failed error) {
	m.launch = map[string]float64{}
	by := map[int]string{}
	var stray []string
	for _, name := range slices.Sorted(maps.Keys(r.times)) {
		list, us := names.called(name), r.times[name].Us.X
		switch {
		case list == nil:
			stray = append(stray, strconv.Quote(name))
		case len(list) > 1:
			m.ranges = append(m.ranges, timedRange{name, list, us})
		default:
			if err := onlyOnce(by, f.times, list[0], name); err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			m.launch[strconv.Itoa(list[0])] = us
		}
	}
	if stray != nil {
		failed = errors.Join(failed, fmt.Errorf("%s: no row is of launch %s: launches are numbers from 0 to %d, labels, or ranges of either, as 3-7",
			f.times, strings.Join(stray, ", "), len(names)-1))
	}
	slices.SortStableFunc(m.ranges, func(a, b timedRange) int { return a.launches[0] - b.launches[0] })
	return m, failed
}

// addRanges adds the rows of launches that were measured together and chosen, before
// the total of each GPU.
func (r *rooflineResult) addRanges(ranges []timedRange) {
	for _, d := range r.devices {
		var sums []*roofline.Row
		end := -1 // behind the GPU's launches
		for _, x := range ranges {
			var rows []*roofline.Row
			for i, row := range r.rows {
				if row.GPU != d.Name || row.Kind != analysis.KindLaunch {
					continue
				}
				end = i + 1
				if n, err := strconv.Atoi(row.Launch); err == nil && slices.Contains(x.launches, n) {
					rows = append(rows, row)
				}
			}
			if len(rows) == len(x.launches) {
				sums = append(sums, roofline.Range(rows, x.name, x.us, r.opts, len(r.devices) == 1))
			}
		}
		if sums != nil {
			r.rows = slices.Insert(r.rows, end, sums...)
		}
	}
}
