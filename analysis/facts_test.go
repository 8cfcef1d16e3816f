package analysis

import (
	"reflect"
	"slices"
	"testing"
)

// TestCountersDescribed: every counter stands in the table, and no two say the
// same.
func TestCountersDescribed(t *testing.T) {
	seen := map[string]Counter{}
	for c := nowhere; c < NumCounters; c++ {
		what := c.String()
		if other, twice := seen[what]; what == "" || twice {
			t.Errorf("counter %d: %q, as counter %d", c, what, other)
		}
		seen[what] = c
	}
}

// rowNumbers are the numbers of a row by the Go fields that hold them.
func rowNumbers(r *Row) map[string]string {
	out := map[string]string{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		for i := range v.NumField() {
			switch x := v.Field(i).Interface().(type) {
			case Int:
				out[v.Type().Field(i).Name] = x.String()
			case Real:
				out[v.Type().Field(i).Name] = x.String()
			default:
				if v.Type().Field(i).Anonymous {
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(r).Elem())
	return out
}

// TestEveryColumnHasItsCounter: of facts whose counters are all known and all
// different, every number of a row is there, and each counter moves some column.
// A counter whose column was forgotten, or a column whose counter was, fails.
func TestEveryColumnHasItsCounter(t *testing.T) {
	// CTAs of all repetitions, divergent conditional branches and the like are
	// seen in ratios only; of what has no column at all nothing is seen.
	var f Facts
	for c := range NumCounters {
		f.Set(c, 1_000_003*uint64(c)+1)
	}
	f.DRAMVariance = Ratio(1)
	before := rowNumbers(newRow(&Launch{CacheGPU: "g", AnalysisMS: Ratio(1)}, &f))
	identity := []string{"PTXAddressSize", "GridX", "GridY", "GridZ", "BlockX", "BlockY", "BlockZ"}
	for field, value := range before {
		if value == "" && !slices.Contains(identity, field) {
			t.Errorf("%s is empty", field)
		}
	}
	for c := nowhere + 1; c < NumCounters; c++ {
		changed := f
		changed.Set(c, 5_000_000_000)
		after := rowNumbers(newRow(&Launch{CacheGPU: "g", AnalysisMS: Ratio(1)}, &changed))
		if reflect.DeepEqual(before, after) {
			t.Errorf("no column shows %s", c)
		}
	}
}

// TestUnknownStaysUnknown: facts without any counter make a row without any
// number, not one of zeros.
func TestUnknownStaysUnknown(t *testing.T) {
	for field, value := range rowNumbers(newRow(&Launch{}, &Facts{})) {
		if value != "" && field != "AnalysisMS" {
			t.Errorf("%s is %s", field, value)
		}
	}
}

// TestTotalOf: a total adds, takes the largest, or says nothing, as the table of
// counters has it; what one launch does not know of its caches nobody knows of
// the network's.
func TestTotalOf(t *testing.T) {
	var a, b LaunchProfile
	for c := range NumCounters {
		a.Facts.Set(c, 10)
		b.Facts.Set(c, 3)
	}
	want := map[rule]Int{ofLaunch: {}, sum: Count(13), sumOfAll: Count(13), most: Count(10)}
	total := totalOf([]*LaunchProfile{&a, &b})
	for c := range NumCounters {
		if got := total.Of(c); got != want[counters[c].total] {
			t.Errorf("%s: %v, want %v", c, got, want[counters[c].total])
		}
	}
	unfit := LaunchProfile{}
	unfit.Facts.Set(WarpInstructions, 7)
	total = totalOf([]*LaunchProfile{&a, &unfit})
	if total.Of(L1ReadHits).Known || total.Of(WarpInstructions) != Count(17) || total.Of(Branches) != Count(10) {
		t.Errorf("%v, %v, %v", total.Of(L1ReadHits), total.Of(WarpInstructions), total.Of(Branches))
	}
}

// TestTableColumns: the readable table's columns are columns of profile.csv, but
// for the few that it makes itself: one that is renamed fails here, and is not
// silently left out as empty.
func TestTableColumns(t *testing.T) {
	own := []string{timesColumn, flopColumn, staticColumn}
	for _, c := range tableColumns {
		if !HasColumn(c.column) && !slices.Contains(own, c.column) {
			t.Errorf("the table shows %s, which profile.csv has not", c.column)
		}
	}
	for _, name := range identity {
		if !HasColumn(name) {
			t.Errorf("rows are told apart by %s, which profile.csv has not", name)
		}
	}
}
