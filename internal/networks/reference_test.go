package networks

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestLogits computes the smaller networks again and compares them with what is
// committed, to the digits that are.
func TestLogits(t *testing.T) {
	for _, n := range Ours {
		text, err := os.ReadFile(filepath.Join(folder, n.Name+".logits.txt"))
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
		got, err := n.Logits()
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
