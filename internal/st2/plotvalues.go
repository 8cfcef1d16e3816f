package st2

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/adder"
	"hyptx/internal/figure"
	"hyptx/ir"
)

// mostLines bounds the instructions whose results are drawn: as many as there are
// symbols to tell them apart.
const mostLines = 7

// fewPoints are drawn large [ours].
const fewPoints = 200

// plotValues draws what the additions of a thread gave, by instruction (figure 2): those
// of the first launch of the kernel in which there are most, the instructions that were
// executed most.
func (s *Suite) plotValues(look figure.Look) ([]byte, error) {
	if len(s.Kernels) == 0 {
		return nil, figure.ErrNothing
	}
	k := slices.MaxFunc(s.Kernels, func(a, b *Kernel) int { return len(a.Adds.Values) - len(b.Adds.Values) })
	if len(k.Adds.Values) == 0 {
		return nil, figure.ErrNothing
	}
	first := k.Adds.Values[0]
	shown := func(v adder.Value) bool { return v.Thread == first.Thread && v.Launch == first.Launch }
	points := map[uint32]plotter.XYs{}
	// Addresses are beyond what else there is: sums of 64 bits are drawn where there are
	// no others.
	narrow := slices.ContainsFunc(k.Adds.Values, func(v adder.Value) bool { return shown(v) && v.Kind == adder.Int32 })
	for _, v := range k.Adds.Values {
		if shown(v) && v.Kind.IsInt() && (v.Kind == adder.Int32) == narrow {
			points[v.PC] = append(points[v.PC], plotter.XY{X: float64(v.Time), Y: float64(v.Result)})
		}
	}
	var pcs []uint32
	for pc := range points {
		pcs = append(pcs, pc)
	}
	slices.SortFunc(pcs, func(a, b uint32) int {
		if d := len(points[b]) - len(points[a]); d != 0 {
			return d
		}
		return int(a) - int(b)
	})
	pcs = pcs[:min(len(pcs), mostLines)]
	title := fmt.Sprintf("%s: results of integer additions of thread %d", k.Name, first.Thread)
	if all := len(points); all > len(pcs) {
		title += fmt.Sprintf(", of the %d instructions of %d that were executed most", len(pcs), all)
	}
	p := figure.NewSheet(look, 14*vg.Centimeter, 5*vg.Centimeter, title, "addition of the thread", "result")
	figure.Grid(p.Plot, false)
	p.X.Tick.Marker, p.Y.Tick.Marker = figure.LinearTicks{}, figure.LinearTicks{}
	colours := []color.Color{figure.Blue, figure.Vermillion, figure.Green, color.Black, figure.Purple, figure.Orange, figure.SkyBlue} // dark ones where symbols are thin
	glyphs := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}}
	radius, most := vg.Points(2), 0 // small where there are many: they must not hide each other
	for _, pc := range pcs {
		most += len(points[pc])
	}
	if most <= fewPoints {
		radius = vg.Points(3.5)
	}
	for n, pc := range pcs {
		text := fmt.Sprintf("%d: %s", pc, k.Func.Module.FuncOf(ir.PC(pc)).Text(ir.PC(pc)))
		p.Marks(text, points[pc], draw.GlyphStyle{Color: colours[n], Radius: radius, Shape: glyphs[n]})
	}
	if len(pcs) == 0 {
		return nil, figure.ErrNothing
	}
	return p.Picture()
}
