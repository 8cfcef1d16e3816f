package figure

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// What an axis says is read before the picture is understood: its labels are round
// numbers, few enough not to touch, and written as people write them. From 0 to
// 3700, LinearTicks label 0, 1,000, 2,000 and 3,000; from 10^-2 to 10^3, LogTicks
// label the six decades, with unlabelled ticks at 2 to 9 between them.

// LogTicks are the ticks of an axis on which decimal logarithms are drawn:
// labels at decades, or at 1, 2 and 5 where the axis has fewer than two. (The
// library's own logarithmic scale misplaces the labels of axes.)
type LogTicks struct{}

// Ticks implements plot.Ticker.
func (LogTicks) Ticks(low, high float64) []plot.Tick {
	few := high-low < 2
	var ticks []plot.Tick
	for e := math.Floor(low); e <= math.Ceil(high); e++ {
		for m := 1; m < 10; m++ {
			at := e + math.Log10(float64(m))
			if at < low-1e-9 || at > high+1e-9 {
				continue
			}
			t := plot.Tick{Value: at}
			if m == 1 || few && (m == 2 || m == 5) {
				t.Label = Plain(float64(m) * math.Pow(10, e))
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// LinearTicks are some six labelled ticks at multiples of 1, 2 or 5.
type LinearTicks struct{}

// Ticks implements plot.Ticker.
func (LinearTicks) Ticks(low, high float64) []plot.Tick {
	decade := math.Pow(10, math.Floor(math.Log10((high-low)/6)))
	step := decade
	for _, m := range []float64{2, 5, 10} {
		if (high-low)/step > 7 {
			step = m * decade
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(low / step); i*step <= high*(1+1e-9); i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: Plain(i * step)})
	}
	return ticks
}

// Plain writes a number as people do: 0.01, 1, 10,000.
func Plain(x float64) string {
	if x == 0 {
		return "0" // of either sign
	}
	s := strconv.FormatFloat(x, 'g', 6, 64)
	if strings.Contains(s, "e") {
		s = strconv.FormatFloat(x, 'f', -1, 64)
	}
	whole, rest, point := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		return whole + "." + rest
	}
	return whole
}
