package roofline

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
	"hyptx/internal/sim"
)

// TestNewModel: a model that is registered is chosen by its name, its time
// stands in the rows, and the terms that it has not are unknown.
func TestNewModel(t *testing.T) {
	defer func(old []*Model) { models = old }(models)
	models = append([]*Model{Extended, Thesis}, &Model{Name: "simulated", About: "a test", Predict: func(l *Launch, _ thesis.Kernel, _ *Device, _ Options) (Time, error) {
		if l.CTAs == 0 {
			return Time{}, errors.New("nothing to simulate")
		}
		return Time{Us: number.Ratio(7 * l.CTAs), Bound: Latency, Terms: Terms{LatencyUs: number.Ratio(7 * l.CTAs)}, Notes: []string{"a note"}}, nil
	}})
	o := plainOptions
	var err error
	if o.Model, err = ModelNamed("simulated"); err != nil {
		t.Fatal(err)
	}
	l, d := plainLaunch(), device(t, roundGPU())
	r := Evaluate(l, d, o)
	if r.TimeModel != "simulated" || r.TimeUs.X != 7*l.CTAs || r.Bound != "Latency" || r.IssueUs.Known || !strings.HasSuffix(r.Warnings, "; a note") || r.Missing != "" {
		t.Errorf("%+v", r)
	}
	if x, err := o.Time(l, d); err != nil || x.Source != "model simulated" || x.Us != r.TimeUs {
		t.Errorf("%+v, %v", x, err)
	}
	l.CTAs = 0
	if r := Evaluate(l, d, o); r.TimeUs.Known || r.Missing != "nothing to simulate" {
		t.Errorf("%v, %q", r.TimeUs, r.Missing)
	}
	if _, err := ModelNamed("exact"); err == nil || err.Error() != "exact: must be analytic or thesis or simulated" {
		t.Error(err)
	}
}

// TestEveryModel: whatever stands in the list has a name and a description of its
// own, and a time for a launch on a GPU of which everything is known.
func TestEveryModel(t *testing.T) {
	seen := map[string]string{}
	for _, m := range Models() {
		for _, words := range []string{m.Name, m.About} {
			if of, twice := seen[words]; words == "" || twice {
				t.Errorf("model %q: %q is nothing, or also of model %q", m.Name, words, of)
			}
			seen[words] = m.Name
		}
		if strings.ContainsAny(m.Name, " ,=|") {
			t.Errorf("model %q: flags and columns hold the name", m.Name)
		}
		if m.Predict == nil {
			t.Errorf("model %q has no Predict", m.Name)
			continue
		}
		d := device(t, roundGPU())
		known := d
		if m.Simulates { // which asks for more than the round GPU has
			g, err := gpu.Get("v100-sxm2")
			if err != nil {
				t.Fatal(err)
			}
			known = device(t, g)
		}
		if m.Lacks != nil && m.Lacks(known) != nil {
			t.Errorf("model %q lacks of a GPU that is known: %v", m.Name, m.Lacks(known))
		}
		o := plainOptions
		o.Model = m
		l := plainLaunch()
		if m.Simulates {
			l.Simulated = &analysis.Simulated{Estimate: &sim.Estimate{ClockMHz: 1000}, Cycles: 5000, Repetitions: 1}
		}
		x, err := o.Time(l, d)
		if us := x.Us.X; err != nil || !x.Us.Known || !(us > 0) || math.IsInf(us, 0) {
			t.Errorf("model %q: a time of %v us, %v", m.Name, x.Us, err)
		}
	}
}

// TestAllTerms: adding up terms forgets none of them.
func TestAllTerms(t *testing.T) {
	var terms Terms
	if got, want := len(terms.All()), reflect.TypeFor[Terms]().NumField(); got != want {
		t.Errorf("%d of %d terms", got, want)
	}
}
