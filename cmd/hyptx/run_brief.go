package main

import "fmt"

// mostValues is how many values of an output a terminal shows.
const mostValues = 20

// briefResult is a run's result with the first values of its outputs only, as
// people read it; a file or a pipe gets everything.
type briefResult struct {
	*runResult
	Outputs []briefOutput `json:"outputs"` // hides those of the result
}

type briefOutput struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Elements int    `json:"elements"`
	Values   []any  `json:"values"`
	More     string `json:"more,omitempty"`
}

func (r *runResult) brief() briefResult {
	short := briefResult{runResult: r, Outputs: []briefOutput{}}
	for _, o := range r.Outputs {
		b := briefOutput{Name: o.Name, Type: o.Type.String(), Elements: o.Len(), Values: []any{}}
		for i := range min(o.Len(), mostValues) {
			b.Values = append(b.Values, o.Value(i))
		}
		if n := o.Len() - mostValues; n > 0 {
			b.More = fmt.Sprintf("... %d more, -o FILE writes all", n)
		}
		short.Outputs = append(short.Outputs, b)
	}
	return short
}
