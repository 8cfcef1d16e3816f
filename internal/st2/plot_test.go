package st2

import (
	"bytes"
	"image/color"
	"testing"

	"hyptx/internal/adder"
	"hyptx/internal/figure"
)

// TestGrey: parts of a bar that lie on each other can be told apart in grey.
func TestGrey(t *testing.T) {
	const least = 30 // of 255
	var stacks [2][]color.Color
	for _, p := range mixParts {
		stacks[0] = append(stacks[0], p.colour)
	}
	for _, p := range energyParts {
		stacks[1] = append(stacks[1], p.colour)
	}
	for _, stack := range stacks {
		for i := range stack[1:] {
			a, b := int(color.GrayModel.Convert(stack[i]).(color.Gray).Y), int(color.GrayModel.Convert(stack[i+1]).(color.Gray).Y)
			if d := a - b; d < least && d > -least {
				t.Errorf("parts %d and %d are grey %d and %d", i, i+1, a, b)
			}
		}
	}
}

// TestAbsentDesigns: a design that nobody asked for has no bar, and no line in the legend: it
// would be a bar of 0.
func TestAbsentDesigns(t *testing.T) {
	o := adder.DefaultOptions()
	o.Designs = []string{"Gtid+Prev", adder.Chosen}
	s := watched(t, o, 1, false, "../../ptx-samples/benchmarks/pathfinder-small.json")
	look := figure.Look{Format: "svg"}
	match, err := s.plotMatch(look)
	if err != nil || !bytes.Contains(match, []byte("Gtid+Prev<")) || bytes.Contains(match, []byte("FullPC")) {
		t.Errorf("figure 3 of one design: %v\n%.400s", err, match)
	}
	o.Designs = []string{"Gtid+Prev"}
	s = watched(t, o, 1, false, "../../ptx-samples/benchmarks/pathfinder-small.json")
	if _, err := s.plotRates(look); err != figure.ErrNothing {
		t.Errorf("figure 6 without its design: %v", err)
	}
}
