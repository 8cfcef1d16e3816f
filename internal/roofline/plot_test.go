package roofline

import (
	"bytes"
	"fmt"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"

	"hyptx/internal/figure"
	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
)

// plotted are two launches on two GPUs, with their rows.
func plotted(t *testing.T) ([]*Launch, []*Device, []*Row, Options) {
	t.Helper()
	a, b := roundGPU(), roundGPU()
	b.Name, b.DRAM.BandwidthGBPerS = "wider", fact(400.)
	l, m := plainLaunch(), plainLaunch()
	l.Network, l.Kernel, m.Network, m.Kernel, m.Launch = "net", "void f<int>(float*)", "net", "g", "1"
	m.Traffic.DRAMRead = number.Ratio(500000)
	devices, launches := []*Device{device(t, a), device(t, b)}, []*Launch{l, m}
	o := Options{Model: Extended, Rule: thesis.Any, Integer: thesis.MAD}
	return launches, devices, report(everywhere(launches), devices, o), o
}

// TestPlots: every format is written, twice the same at different times.
func TestPlots(t *testing.T) {
	launches, devices, rows, o := plotted(t)
	draw := map[string]func(format string) ([]byte, error){
		"roofline": func(f string) ([]byte, error) { return PlotRoofline(rows, devices, figure.Look{Format: f}) },
		"quadrant": func(f string) ([]byte, error) {
			return PlotQuadrant(everywhere(launches), devices, o, figure.Look{Format: f})
		},
		"one GPU": func(f string) ([]byte, error) {
			return PlotQuadrant(everywhere(launches[:1]), devices[:1], o, figure.Look{Format: f})
		},
	}
	first := map[string][]byte{}
	for pass := range 2 {
		for name, d := range draw {
			for format, magic := range map[string]string{"svg": "<?xml", "png": "\x89PNG", "pdf": "%PDF"} {
				got, err := d(format)
				if err != nil {
					t.Fatalf("%s as %s: %v", name, format, err)
				}
				if !bytes.HasPrefix(got, []byte(magic)) {
					t.Errorf("%s is no %s", name, format)
				}
				if pass == 1 && !bytes.Equal(got, first[name+format]) {
					t.Errorf("%s as %s is not the same twice", name, format)
				}
				first[name+format] = got
			}
		}
		if pass == 0 {
			time.Sleep(1100 * time.Millisecond)
		}
	}
	if _, err := PlotRoofline(rows, devices, figure.Look{Format: "gif"}); err == nil {
		t.Error("gif")
	}
	if img, err := png.Decode(bytes.NewReader(first["rooflinepng"])); err != nil || img.Bounds().Dx() < 800 {
		t.Errorf("png: %v", err)
	}
}

// TestPlotText: axes have units, ticks are written out, and the legend names
// the GPUs; no text lies upon another.
func TestPlotText(t *testing.T) {
	launches, devices, rows, o := plotted(t)
	roof, err := PlotRoofline(rows, devices, figure.Look{Format: "svg"})
	if err != nil {
		t.Fatal(err)
	}
	quadrant, err := PlotQuadrant(everywhere(launches[:1]), devices, o, figure.Look{Format: "svg"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Roofline: net", "operations / byte of DRAM", "Gop/s]", ">0.1<", ">1,000<", "wider: fp32, 1,280 Gop/s", "wider: DRAM, 400 GB/s", "round: 1 latency bound"} {
		if !strings.Contains(string(roof), want) {
			t.Errorf("the roofline does not say %q", want)
		}
	}
	for _, want := range []string{"Quadrant split: net, f&lt;int&gt; (fp32)", "memory bandwidth [GB/s]", "kernel, 320 op/byte (model)", ">thesis&#39; model, without launch, latency and caches: not the time of the table<", "wider: adjusted, compute bound"} {
		if !strings.Contains(string(quadrant), want) {
			t.Errorf("the quadrant plot does not say %q", want)
		}
	}
	place := regexp.MustCompile(`<text x="[^"]*" y="[^"]*"`)
	for name, svg := range map[string][]byte{"roofline": roof, "quadrant": quadrant} {
		seen := map[string]bool{}
		for _, at := range place.FindAllString(string(svg), -1) {
			if seen[at] {
				t.Errorf("%s: two texts at %s", name, at)
			}
			seen[at] = true
		}
	}
}

// TestQuadrantTraffic: where GPUs have different traffic, each has its own line,
// and what is expected is what the thesis' table says.
func TestQuadrantTraffic(t *testing.T) {
	launches, devices, _, o := plotted(t)
	other := *launches[0]
	other.Traffic = Traffic{Source: TrafficFootprint, DRAMRead: number.Ratio(4e6)}
	of := func(d *Device) []*Launch {
		if d == devices[1] {
			return []*Launch{&other}
		}
		return launches[:1]
	}
	o.Model = Thesis
	svg, err := PlotQuadrant(of, devices, o, figure.Look{Format: "svg"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"round: kernel, 320 op/byte (model)", "wider: kernel, 0.08 op/byte (footprint)", "above its line"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the plot does not say %q", want)
		}
	}
	if strings.Contains(string(svg), "without launch") {
		t.Error("the title speaks of another model than the table's")
	}
	for _, r := range report(of, devices, o) {
		if want := r.GPU + ": expected, " + figure.Plain(significant(r.GOPS.X)) + " Gop/s"; r.Launch != Total && !strings.Contains(string(svg), want) {
			t.Errorf("the plot does not say %q", want)
		}
	}
}

// TestNotShown: launches that are no points are counted for each GPU.
func TestNotShown(t *testing.T) {
	launches, devices, _, o := plotted(t)
	none, idle, lost := *launches[0], *launches[0], *launches[0]
	none.Launch, none.Metrics.FP32 = "2", 0
	idle.Launch, idle.Traffic = "3", Traffic{Source: TrafficModel, DRAMRead: number.Ratio(0)}
	lost.Launch, lost.Chain = "4", nil
	rows := report(everywhere(append(launches, &none, &idle, &lost)), devices, o)
	svg, err := PlotRoofline(rows, devices, figure.Look{Format: "svg"})
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"operations", "DRAM traffic", "a time"} {
		for _, d := range devices {
			if want := d.Name + ": 1 launch without " + what + " is not shown"; !strings.Contains(string(svg), want) {
				t.Errorf("the plot does not say %q", want)
			}
		}
	}
	got := notShown(append(rows, &Row{Network: "other", GPU: "wider", TimeUs: number.Ratio(1)}))
	if want := "round: 1 launch without operations is not shown"; got[1] != want || got[4] != "wider: 2 launches without operations are not shown" {
		t.Error(got)
	}
}

// TestPointNames: points are named where their names fit, in the order of the
// rows: none over another, none over a point, none outside.
func TestPointNames(t *testing.T) {
	_, devices, rows, _ := plotted(t)
	for i, r := range rows {
		r.Label = fmt.Sprintf("point %d", i)
	}
	svg, err := PlotRoofline(rows, devices, figure.Look{Format: "svg"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(svg), ">point 0<") {
		t.Error("the first point has no name")
	}
	crowd := slices.Repeat(rows[:1], 40) // all in one place: there is room on four sides
	svg, err = PlotRoofline(crowd, devices, figure.Look{Format: "svg"})
	if n := strings.Count(string(svg), ">point 0<"); err != nil || n != 4 {
		t.Errorf("%d names around a point: %v", n, err)
	}
	p := newPointNames(rows[:1], []vg.Length{2.6}, figure.New("", "", "").X.Tick.Label)
	places := p.places(vg.Point{X: 100, Y: 100}, 2.6, "point 0")
	glyph := vg.Rectangle{Min: vg.Point{X: 97.4, Y: 97.4}, Max: vg.Point{X: 102.6, Y: 102.6}}
	for i, box := range places {
		if overlap(box, glyph) || inside(box, vg.Rectangle{Max: vg.Point{X: 100, Y: 100}}) && i != 3 && i != 1 {
			t.Errorf("place %d: %v", i, box)
		}
		for _, other := range places[:i] {
			if overlap(box, other) {
				t.Errorf("%v lies upon %v", box, other)
			}
		}
	}
}

func TestPlotTitle(t *testing.T) {
	rows := []*Row{{Network: "a"}, {Network: "b"}, {Network: "a"}}
	if got := networks(rows); got != "a, b" {
		t.Error(got)
	}
	if got := networks(append(rows, &Row{Network: "c"}, &Row{Network: "d"})); got != "4 programs" {
		t.Error(got)
	}
}

func TestPlotBad(t *testing.T) {
	launches, devices, rows, o := plotted(t)
	many := make([]*Device, mostGPUs+1)
	if _, err := PlotRoofline(rows, many, figure.Look{Format: "svg"}); err == nil {
		t.Error("too many GPUs")
	}
	launches[0].Traffic = Traffic{}
	if _, err := PlotQuadrant(everywhere(launches), devices, o, figure.Look{Format: "svg"}); err == nil || !strings.Contains(err.Error(), "traffic is unknown") {
		t.Error(err)
	}
	if _, err := PlotRoofline(report(everywhere(launches[:1]), devices, o), devices, figure.Look{Format: "svg"}); err == nil || !strings.Contains(err.Error(), "no point to draw") {
		t.Error(err)
	}
	// Only what is not shown, and nothing at all.
	none := *plainLaunch()
	none.Metrics.FP32 = 0
	for want, list := range map[string][]*Launch{"there is no point to draw: round: 1 launch without operations is not shown, wider: 1 launch without operations is not shown": {&none}, "there is no point to draw: no launch is complete": nil} {
		if _, err := PlotRoofline(report(everywhere(list), devices, o), devices, figure.Look{Format: "svg"}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
