package networks

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arithmetic is a layer that is one operation, as it is defined, in float64.
type arithmetic interface {
	// compute returns the elements of out.
	compute(learned func(suffix string) []float64, in []values, out tensor) []float64
}

// values is a tensor with its elements.
type values struct {
	tensor
	at []float64
}

// logits computes a chain of layers by its operations.
func (n Network) logits() ([]float64, error) {
	b, err := n.build()
	if err != nil {
		return nil, err
	}
	results := map[string][]float64{"image": b.byName["image"].noise()}
	for _, op := range b.operations {
		learned := func(suffix string) []float64 { return b.byName[op.name+suffix].noise() }
		var in []values
		for _, t := range op.in {
			in = append(in, values{t, results[t.buffer]})
		}
		results[op.out.buffer] = op.layer.(arithmetic).compute(learned, in, op.out)
	}
	return results["logits"], nil
}

// noise returns a buffer's initial elements, as the manifest's format defines
// them, rounded to f32.
func (b *buffer) noise() []float64 {
	elements := make([]float64, b.Bytes/bytesPerElement)
	u := b.Init.Uniform
	for i := range elements {
		unit := float64(splitmix64(u.Seed*0x9E3779B97F4A7C15+uint64(i))>>40) / (1 << 24)
		scaled := float64((u.High - u.Low) * unit) // rounded before the sum
		elements[i] = float64(float32(u.Low + scaled))
	}
	return elements
}

// splitmix64 is one step of Steele, Lea and Flood's generator (OOPSLA 2014).
func splitmix64(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

var update = flag.Bool("update", false, "write the reference logits again (a minute)")

// TestLogits computes the smaller networks again and compares them with what is
// committed, to the digits that are. With -update it writes those of all.
func TestLogits(t *testing.T) {
	for _, n := range Ours {
		file := filepath.Join(folder, n.Name+".logits.txt")
		if *update {
			writeLogits(t, file, n)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Fields(string(text))
		if len(lines) != 1000 {
			t.Fatalf("%s: %d logits", n.Name, len(lines))
		}
		if testing.Short() || published[n.Name].multiplyAdds > 1e9 {
			continue
		}
		got, err := n.logits()
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range lines {
			want, err := strconv.ParseFloat(line, 64)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got[i]-want) > 1e-8*(1+math.Abs(want)) {
				t.Fatalf("%s: logit %d is %v, committed %v", n.Name, i, got[i], want)
			}
		}
	}
}

// writeLogits writes a network's logits, one a line.
func writeLogits(t *testing.T, file string, n Network) {
	logits, err := n.logits()
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for _, x := range logits {
		fmt.Fprintf(&lines, "%.9g\n", x)
	}
	if err := os.WriteFile(file, lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSplitmix64: the first two outputs of the generator's reference
// implementation (Vigna, splitmix64.c) from state 0.
func TestSplitmix64(t *testing.T) {
	const gamma = 0x9E3779B97F4A7C15
	if got := [2]uint64{splitmix64(0), splitmix64(gamma)}; got != [2]uint64{0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4} {
		t.Errorf("%#x", got)
	}
}

// TestArithmetic: small layers by hand.
func TestArithmetic(t *testing.T) {
	square := values{tensor{"", 1, 3, 3}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	pair := values{tensor{"", 2, 1, 2}, []float64{1, 2, -3, 4}}
	learned := map[string][]float64{".weights": {1, 10, 100, 1000}, ".bias": {-5, 0}}
	cases := []struct {
		name string
		arithmetic
		in   []values
		out  tensor
		want []float64
	}{
		// Windows of rows {.,.|1,2}, {.,.|3,.}, ...: the padding is around the 3x3 square.
		{"padded, stride 2", conv{filters: 1, kernel: 2, stride: 2, pad: 1}, []values{square}, tensor{"", 1, 2, 2},
			[]float64{1000 * 1, 100*2 + 1000*3, 10*4 + 1000*7, 1*5 + 10*6 + 100*8 + 1000*9}},
		{"groups, bias, relu", conv{filters: 2, kernel: 1, stride: 1, groups: 2, bias: true, act: relu}, []values{pair}, tensor{"", 2, 1, 2},
			[]float64{0, 0, 0, 40}},
		{"two channels, relu6", conv{filters: 2, kernel: 1, stride: 1, act: relu6}, []values{pair}, tensor{"", 2, 1, 2},
			[]float64{0, 6, 0, 6}},
		{"max pool", pooling{kernel: 2, stride: 2, pad: 1}, []values{square}, tensor{"", 1, 2, 2}, []float64{1, 3, 7, 9}},
		{"average pool", pooling{average: true, kernel: 2, stride: 2, pad: 1}, []values{square}, tensor{"", 1, 2, 2}, []float64{1, 2.5, 5.5, 7}},
		{"global average pool", globalAvgPool{}, []values{pair}, tensor{"", 2, 1, 1}, []float64{1.5, 0.5}},
		{"dense", dense{outputs: 2, act: relu}, []values{{tensor{"", 2, 1, 1}, []float64{2, 1}}}, tensor{"", 2, 1, 1}, []float64{7, 1200}},
		{"residual", residual{relu}, []values{pair, pair}, tensor{"", 2, 1, 2}, []float64{2, 4, 0, 8}},
		// Window 3 over two channels: both squares at either; power 1.
		{"local response", localResponse{window: 3, k: 1, alpha: 0.5, power: 1}, []values{pair}, tensor{"", 2, 1, 2},
			[]float64{1.0 / 6, 2.0 / 11, -3.0 / 6, 4.0 / 11}},
	}
	for _, c := range cases {
		if got := c.compute(func(suffix string) []float64 { return slices.Clone(learned[suffix]) }, c.in, c.out); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, by hand %v", c.name, got, c.want)
		}
	}
}
