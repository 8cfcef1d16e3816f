package adder

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

const references = "../../../shared/data/st2/"

// golden reads a table of reference results; lines that begin with # are no rows.
func golden(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(references + name)
	if err != nil {
		t.Skip("the shared reference data are not here")
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.Comment, r.LazyQuotes = '\t', '#', true
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[all[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// step is an addition of one thread.
type step struct {
	pc, lane, thread int
	a, b             uint64
	carry            uint64
}

func plus(pc, lane, thread int, a, b int64) step {
	return step{pc, lane, thread, uint64(a), uint64(b), 0}
}

func minus(pc, lane, thread int, a, b int64) step {
	return step{pc, lane, thread, uint64(a), ^uint64(b), 1}
}

// stream is a sequence of additions of one kind.
type stream struct {
	name string
	kind Kind
	list []step
}

// streams are those of the reference scripts.
func streams() []stream {
	var up, down, sub, stride, alternate, warps, loop, random []step
	for i := range int64(1024) {
		up = append(up, plus(0, 0, 0, i, 1))
		down = append(down, plus(0, 0, 0, 1024-i, -1))
		sub = append(sub, minus(0, 0, 0, 1024-i, 1))
		stride = append(stride, plus(0, 0, 0, i*128, 128))
	}
	for i := int64(1); i <= 512; i++ {
		alternate = append(alternate, plus(0, 0, 0, i, 1), plus(1, 0, 0, i, -1))
	}
	for w := range 64 {
		for pc := range 2 {
			for l := range 32 {
				g := w*32 + l
				if pc == 0 {
					warps = append(warps, plus(0, l, g, int64(g), 1000))
				} else {
					warps = append(warps, plus(1, l, g, int64(l), -16))
				}
			}
		}
	}
	for w := range 8 {
		for it := range int64(16) {
			for k := range 3 {
				for l := range 32 {
					g := w*32 + l
					loop = append(loop, []step{plus(0, l, g, it, 1), plus(1, l, g, 0x10000, int64(g)*4), minus(17, l, g, int64(l), it)}[k])
				}
			}
		}
	}
	s := splitmix(1)
	for range 4096 {
		a := s.next() >> 32
		random = append(random, step{0, 0, 0, a, s.next() >> 32, 0})
	}
	return []stream{
		{"counter_up", Int32, up}, {"counter_down", Int32, down}, {"counter_sub", Int32, sub}, {"stride128", Int64, stride},
		{"alt2pc", Int32, alternate}, {"warp_tid", Int32, warps}, {"loop_threads", Int32, loop}, {"random32", Int32, random},
	}
}

// adds groups steps as the reference does: lanes of one instruction follow each other.
func (s *stream) adds() (list []*Add) {
	var a *Add
	last := step{pc: -1}
	for _, p := range s.list {
		if a == nil || p.pc != last.pc || p.thread/32 != last.thread/32 || p.lane <= last.lane {
			n := s.kind.words()
			a = &Add{At: At{Number: uint32(p.pc)}, Kind: s.kind, Warp: uint32(p.thread / 32), A: make([]uint64, n), B: make([]uint64, n)}
			list = append(list, a)
		}
		a.set(p)
		last = p
	}
	return list
}

// set puts a lane's operands.
func (a *Add) set(p step) {
	a.Mask |= 1 << p.lane
	a.Carry |= uint32(p.carry) << p.lane
	if kinds[a.Kind].wide {
		a.A[p.lane], a.B[p.lane] = p.a, p.b
		return
	}
	low := uint64(1)<<kinds[a.Kind].bits - 1
	a.A[p.lane/2] |= p.a & low << (32 * (p.lane & 1))
	a.B[p.lane/2] |= p.b & low << (32 * (p.lane & 1))
}

// ran runs a stream through points of one width.
func ran(t *testing.T, s *stream, w int, points ...*Point) *bank {
	t.Helper()
	for _, p := range points {
		p.Width = w
	}
	b := newBank(w, points, &desk{})
	for _, a := range s.adds() {
		b.add(a)
		b.endRound()
	}
	b.end()
	return b
}

func point(t *testing.T, name, update, intra string) *Point {
	t.Helper()
	d, err := ParseDesign(name)
	if err != nil {
		t.Fatal(err)
	}
	return &Point{Design: d, Width: 8, Update: Update(update), Intra: Intra(intra), Arbitration: Ideal}
}

// TestStreams: all designs on the reference's streams.
func TestStreams(t *testing.T) {
	all := streams()
	n := 0
	for _, row := range golden(t, "st2_golden_streams.tsv") {
		for i := range all {
			s := &all[i]
			if !strings.HasPrefix(row["stream"], s.name) {
				continue
			}
			b := ran(t, s, 8, point(t, row["design"], row["update"], row["intra_warp"]))
			c, w := &b.counts[0][s.kind], &b.work[s.kind]
			each := 0.0
			if c.Mispredicted > 0 {
				each = float64(c.Recomputed) / float64(c.Mispredicted)
			}
			got := fmt.Sprintf("%d %d %.6f %d %.4f %.6f %d %d", w.Adds, c.Mispredicted, float64(c.Mispredicted)/float64(w.Adds), c.Recomputed, each,
				1-float64(c.SliceMisses)/float64(w.Predictions), w.Warps, c.Stalled)
			want := strings.Join([]string{row["thread_adds"], row["mispredicted_thread_adds"], row["misprediction_rate"], row["recomputed_slices"],
				row["recomputed_slices_per_misprediction"], row["slice_match_rate"], row["warp_adds"], row["stalled_warp_adds"]}, " ")
			if got != want {
				t.Errorf("%s %s %s %s: %s, want %s", s.name, row["design"], row["update"], row["intra_warp"], got, want)
			}
			n++
		}
	}
	if n != 270 {
		t.Errorf("%d rows were compared", n)
	}
}

// TestWidths: slices of other widths.
func TestWidths(t *testing.T) {
	all := streams()
	n := 0
	for _, row := range golden(t, "st2_golden_widths.tsv") {
		for i := range all {
			s := &all[i]
			if row["stream"] != s.name {
				continue
			}
			bits, _ := strconv.Atoi(row["slice_width"])
			b := ran(t, s, bits, point(t, row["design"], row["update"], "sequential"))
			c, w := &b.counts[0][s.kind], &b.work[s.kind]
			resolved := w.Resolved
			if !strings.Contains(row["design"], "Peek") {
				resolved = 0
			}
			got := fmt.Sprint(s.kind.Slices(bits), w.Adds, c.Mispredicted, c.Recomputed, c.Recomputed*uint64(bits), resolved, w.Warps, c.Stalled)
			want := strings.Join([]string{row["slices"], row["thread_adds"], row["mispredicted"], row["recomputed_slices"], row["recomputed_bits"],
				row["peek_resolved"], row["warp_adds"], row["stalled_warp_adds"]}, " ")
			if got != want {
				t.Errorf("%s %s %s %s: %s, want %s", s.name, row["slice_width"], row["design"], row["update"], got, want)
			}
			n++
		}
	}
	if n != 150 {
		t.Errorf("%d rows were compared", n)
	}
}

// TestFlips: bits that change at the edges of adders.
func TestFlips(t *testing.T) {
	all := streams()
	n := 0
	for _, row := range golden(t, "st2_golden_flips.tsv") {
		for i := range all {
			s := &all[i]
			if row["stream"] != s.name {
				continue
			}
			b := newBank(8, nil, &desk{})
			var e edge
			var flips uint64
			for _, a := range s.adds() {
				b.add(a)
				flips += e.flips(&b.x)
			}
			b.end()
			worst := 3 * uint64(s.kind.Bits()) * b.work[s.kind].Adds
			got := fmt.Sprintf("%d %d %d %.4f %.4f", b.work[s.kind].Adds, flips, worst, ShifterJ(flips)*1e12, ShifterJ(worst)*1e12)
			if want := strings.Join([]string{row["thread_adds"], row["flips"], row["worst_flips"], row["energy_pJ"], row["worst_energy_pJ"]}, " "); got != want {
				t.Errorf("%s: %s, want %s", s.name, got, want)
			}
			n++
		}
	}
	if n != 6 {
		t.Errorf("%d rows were compared", n)
	}
}

// TestWidthEnergy: what slices of other widths come to.
func TestWidthEnergy(t *testing.T) {
	for _, row := range golden(t, "st2_width_energy.tsv") {
		w, _ := strconv.Atoi(row["slice_width"])
		e := EnergyOf(w)
		got := fmt.Sprintf("%.6f %.6f %.6f %.6f %.6f", e.Delay, e.Voltage, e.Capacitance, e.Energy, 1-e.Energy)
		want := strings.Join([]string{row["delay_ratio"], row["voltage_ratio"], row["capacitance_ratio"], row["energy_ratio"], row["potential_saving"]}, " ")
		if got != want {
			t.Errorf("%d bits: %s, want %s", w, got, want)
		}
	}
}
