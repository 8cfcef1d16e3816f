package figure

import (
	"bytes"
	"image/color"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// TestSameBytes: a picture is the same file whenever it is written.
func TestSameBytes(t *testing.T) {
	for _, format := range []string{"svg", "png", "pdf"} {
		var first []byte
		for range 2 {
			p := New("title", "x [m]", "y [s]")
			Grid(p, true)
			got, err := NewPage(Look{Format: format}, 10*vg.Centimeter, 5*vg.Centimeter).Render(p, New("", "x", "y"))
			if err != nil {
				t.Fatal(err)
			}
			if first != nil && !bytes.Equal(first, got) {
				t.Errorf("%s: two different files", format)
			}
			first = got
		}
		if format == "pdf" && !bytes.Contains(first, []byte("D:19700101000000")) {
			t.Error("the PDF is dated")
		}
	}
	if _, err := NewPage(Look{Format: "gif"}, 1, 1).Render(New("", "", "")); err == nil || !strings.Contains(err.Error(), `not "gif"`) {
		t.Error(err)
	}
}

func TestTicks(t *testing.T) {
	labels := func(ticks []string) string { return strings.Join(ticks, " ") }
	var log, few, linear []string
	for _, x := range (LogTicks{}).Ticks(-2, 3) {
		if x.Label != "" {
			log = append(log, x.Label)
		}
	}
	for _, x := range (LogTicks{}).Ticks(0, 1) {
		if x.Label != "" {
			few = append(few, x.Label)
		}
	}
	for _, x := range (LinearTicks{}).Ticks(0, 3700) {
		linear = append(linear, x.Label)
	}
	if labels(log) != "0.01 0.1 1 10 100 1,000" || labels(few) != "1 2 5 10" || labels(linear) != "0 1,000 2,000 3,000" {
		t.Error(log, few, linear)
	}
}

// TestText: what the font does not have is seen to be missing.
func TestText(t *testing.T) {
	for s, want := range map[string]string{"": "", "net-7 (é, µ)": "net-7 (é, µ)", "uni 中<&>": "uni ?<&>", "a\u202eb\n\x00c": "a?b??c", "\xff": "?"} {
		if got := Text(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	if p := New("中", "x", "y"); p.Title.Text != "?" {
		t.Error(p.Title.Text)
	}
}

// TestLegendWidth: a legend has the width of its longest text, up to half of
// the page.
func TestLegendWidth(t *testing.T) {
	c, err := draw.NewFormattedCanvas(pageWidth, 10*vg.Centimeter, "svg")
	if err != nil {
		t.Fatal(err)
	}
	all := draw.New(c)
	g := NewPage(Look{}, 10*vg.Centimeter, 5*vg.Centimeter)
	g.Key("short")
	if w := g.legendWidth(all); w != 5*vg.Centimeter {
		t.Error(w)
	}
	g.Key(strings.Repeat("long ", 8))
	if w := g.legendWidth(all); !(w > 5*vg.Centimeter && w < pageWidth/2) {
		t.Error(w)
	}
	g.Key(strings.Repeat("long ", 80))
	if w := g.legendWidth(all); w != pageWidth/2 {
		t.Error(w)
	}
}

// TestTheme: what is black on white paper is nearly white on dark paper, and colours stay
// apart from it.
func TestTheme(t *testing.T) {
	for want, c := range map[uint8]color.Color{darkInk: color.Black, darkPaper: color.White} {
		if got := onDark(c).(color.NRGBA); got != (color.NRGBA{want, want, want, 0xff}) {
			t.Errorf("%v: %v", c, got)
		}
	}
	if got := onDark(Blue).(color.NRGBA); got.B <= Blue.B || got.R <= Blue.R {
		t.Errorf("blue: %v", got)
	}
	if got := onDark(Yellow).(color.NRGBA); got.R != Yellow.R {
		t.Errorf("yellow: %v", got)
	}
	draw := func(theme Theme) []byte {
		g := NewPage(Look{"svg", theme}, 10*vg.Centimeter, 5*vg.Centimeter)
		g.Key("a legend's text has no colour")
		text, err := g.Render(New("title", "x", "y"))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if light, dark := draw(Light), draw(Dark); bytes.Equal(light, dark) || !bytes.Contains(dark, []byte("#171717")) || !bytes.Contains(light, []byte("#FFFFFF")) {
		t.Errorf("%.400s", dark)
	}
}
