package power

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strconv"
	"testing"

	"hyptx/internal/figure"
	"hyptx/internal/number"
)

// picture decodes a PNG.
func picture(t *testing.T, data []byte, err error) image.Image {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// pixels counts those of a colour in a part of a picture, in shares of its
// width and height.
func pixels(img image.Image, x0, x1, y0, y1 float64, c color.RGBA) (n int) {
	b := img.Bounds()
	for x := int(x0 * float64(b.Dx())); x < int(x1*float64(b.Dx())); x++ {
		for y := int(y0 * float64(b.Dy())); y < int(y1*float64(b.Dy())); y++ {
			if color.RGBAModel.Convert(img.At(x, y)) == c {
				n++
			}
		}
	}
	return n
}

// TestPlotMany: launches narrower than a pixel have the legend's colours.
func TestPlotMany(t *testing.T) {
	for _, n := range []int{1, 3, 3000} {
		rows := make([]*Row, n)
		for i := range rows {
			r := &Row{Launch: strconv.Itoa(i), GPU: "gv100", TimeUs: number.Ratio(3), EnergyUJ: number.Ratio(150 + float64(i%2)), PowerW: number.Ratio(50), StartUs: number.Ratio(3 * float64(i))}
			r.GroupEnergy = GroupEnergy{Const: number.Ratio(100), Static: number.Ratio(50 + float64(i%2))}
			rows[i] = r
		}
		data, err := PlotComponents(rows, 0, figure.Look{Format: "png"})
		img := picture(t, data, err)
		for g, least := range map[group]int{groupConst: 60, groupStatic: 25} {
			for panel, y := range []float64{0.05, 0.52} {
				area := float64(img.Bounds().Dx()*img.Bounds().Dy()) / 100
				if got := pixels(img, 0.05, 0.8, y, y+0.4, groupColours[g]); float64(got) < float64(least)*area*0.75*0.4*0.5 {
					t.Errorf("%d launches, panel %d: %d pixels of %s", n, panel, got, groupTitles[g])
				}
			}
		}
	}
}

// TestLaunchTicks: labels do not touch.
func TestLaunchTicks(t *testing.T) {
	for n, want := range map[int][2]int{1: {1, 1}, 30: {30, 1}, 31: {16, 2}, 135: {27, 5}, 3000: {15, 200}, 100_000: {10, 10_000}} {
		rows := make([]*Row, n)
		for i := range rows {
			rows[i] = &Row{Launch: fmt.Sprint(i)}
		}
		ticks := launchTicks(rows)
		step := 1
		if len(ticks) > 1 {
			step = int(ticks[1].Value)
		}
		if len(ticks) != want[0] || step != want[1] {
			t.Errorf("%d launches: %d labels, every %d; want %d, every %d", n, len(ticks), step, want[0], want[1])
		}
	}
}

// TestPlotOneClock: a single clock is seen in all panels.
func TestPlotOneClock(t *testing.T) {
	row := &SweepRow{Network: "n", GPU: "gv100", ClockMHz: number.Ratio(600), TimeUs: number.Ratio(2), PowerW: number.Ratio(40), EnergyUJ: number.Ratio(80), EDPpJs: number.Ratio(160)}
	data, err := PlotSweep([]*SweepRow{row}, 0, figure.Look{Format: "png"})
	img := picture(t, data, err)
	if pixels(img, 0.1, 0.8, 0.05, 0.32, groupColours[groupRegFile]) < 50 || pixels(img, 0.1, 0.8, 0.35, 0.62, groupColours[groupFPU]) < 50 || pixels(img, 0.1, 0.8, 0.68, 0.95, groupColours[groupConst]) < 50 {
		t.Error("a panel is empty")
	}
}

// TestPlotImplausible: launches that are beyond the hardware have a mark.
func TestPlotImplausible(t *testing.T) {
	of := func(reason string) int {
		r := &Row{Network: "n", GPU: "gv100", Launch: "0", TimeUs: number.Ratio(2), PowerW: number.Ratio(40), EnergyUJ: number.Ratio(80), Implausible: reason,
			GroupEnergy: GroupEnergy{Const: number.Ratio(80)}}
		data, err := PlotComponents([]*Row{r}, 0, figure.Look{Format: "png"})
		return pixels(picture(t, data, err), 0.1, 0.78, 0.5, 0.6, color.RGBA{A: 0xff}) // above the bar
	}
	if plain, marked := of(""), of("too much"); marked < plain+5 {
		t.Errorf("%d black pixels, %d with a mark", plain, marked)
	}
}
