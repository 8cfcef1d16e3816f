package st2

import (
	"image/color"
	"testing"
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
