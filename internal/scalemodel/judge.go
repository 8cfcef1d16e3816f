package scalemodel

import (
	"math"
)

// Error is how far a prediction is off, in percent of what was measured and with its
// sign.
func Error(predicted, measured float64) float64 { return (predicted - measured) / measured * 100 }

// Suite is how far a method is off over several workloads.
type Suite struct {
	Scenario  Scenario
	Target    int
	Method    Method
	Workloads int
	// Avg and Max are of the errors without their signs; Worst has the largest.
	Avg, Max float64
	Worst    string
}

// Judge holds what all methods predict against what was measured of the targets: a
// Suite for each scenario, target and method. What is unknown is left out, and
// Workloads says so.
func Judge(all []*Workload, d Detector) ([]*Suite, error) {
	var suites []*Suite
	find := func(s Suite) *Suite {
		for _, of := range suites {
			if of.Scenario == s.Scenario && of.Target == s.Target && of.Method == s.Method {
				return of
			}
		}
		suites = append(suites, &s)
		return &s
	}
	for _, w := range all {
		for _, m := range Methods {
			p, err := w.Predict(m, d)
			if err != nil {
				return nil, err
			}
			for i := models; i < len(p.Points); i++ {
				of := find(Suite{Scenario: w.Scenario, Target: w.Sizes[i], Method: m})
				if p.Points[i].IPC.Known && w.IPC[i].Known {
					of.add(math.Abs(Error(p.Points[i].IPC.X, w.IPC[i].X)), w.Name)
				}
			}
		}
	}
	return suites, nil
}

// add adds the error of a workload.
func (s *Suite) add(percent float64, name string) {
	s.Workloads++
	s.Avg += (percent - s.Avg) / float64(s.Workloads)
	if percent >= s.Max {
		s.Max, s.Worst = percent, name
	}
}
