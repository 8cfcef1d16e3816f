package roofline

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/roofline/thesis"
)

// TestNewModel: a model that is registered is chosen by its name, its time
// stands in the rows, and the terms that it has not are unknown.
func TestNewModel(t *testing.T) {
	defer func(old []*Model) { models = old }(models)
	models = append([]*Model{Extended, Thesis}, &Model{Name: "simulated", About: "a test", Predict: func(l *Launch, _ thesis.Kernel, _ *Device, _ Options) (Time, error) {
		if l.CTAs == 0 {
			return Time{}, errors.New("nothing to simulate")
		}
		return Time{Us: analysis.Ratio(7 * l.CTAs), Bound: Latency, Terms: Terms{LatencyUs: analysis.Ratio(7 * l.CTAs)}, Notes: []string{"a note"}}, nil
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
	if _, err := ModelNamed("exact"); err == nil || err.Error() != "exact: must be extended or thesis or simulated" {
		t.Error(err)
	}
}

// TestAllTerms: adding up terms forgets none of them.
func TestAllTerms(t *testing.T) {
	var terms Terms
	if got, want := len(terms.all()), reflect.TypeFor[Terms]().NumField(); got != want {
		t.Errorf("%d of %d terms", got, want)
	}
}
