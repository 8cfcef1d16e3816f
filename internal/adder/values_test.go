package adder

import "testing"

// TestValuesOfLaunches: results of launches that are added up say which launch they are of,
// however they are put together.
func TestValuesOfLaunches(t *testing.T) {
	of := func(result int64) *Result { return &Result{Values: []Value{{Result: result}}, launches: 1} }
	sum, rest := &Result{}, &Result{}
	sum.Plus(of(10))
	rest.Plus(of(20))
	rest.Plus(of(30))
	sum.Plus(rest)
	for i, v := range sum.Values {
		if v.Launch != uint32(i) || v.Result != int64(10*(i+1)) {
			t.Errorf("%d: %+v", i, v)
		}
	}
	if len(sum.Values) != 3 {
		t.Errorf("%+v", sum.Values)
	}
}
