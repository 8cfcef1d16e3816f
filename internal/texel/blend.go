package texel

import "math"

// Border is what an element of the border reads as.
func (t *Texture) Border() Value { return t.border() }

// Blend weights elements as the guide's formulas do. The sum is rounded once; what a GPU
// calculates with nobody says.
func (t *Texture) Blend(taps *Taps, elements *[8]Value) Value {
	if taps.N == 1 {
		return elements[0]
	}
	var v Value
	for c := range v {
		sum := 0.0
		for i := range taps.N {
			sum += taps.Weight[i] * float64(math.Float32frombits(elements[i][c]))
		}
		v[c] = math.Float32bits(float32(sum))
	}
	return v
}

// Gather returns one channel of the four elements of a footprint: counter-clockwise from
// the lower left, which is that of the second row (PTX ISA 9.7.12.4).
func Gather(elements *[8]Value, channel int) Value {
	return Value{elements[2][channel], elements[3][channel], elements[1][channel], elements[0][channel]}
}

// Passes compares: the result is 1 for each channel whose comparison holds, else 0.
func (t *Texture) Passes(how Compare, d float32, v Value) Value {
	for c := range t.Channels {
		e := math.Float32frombits(v[c])
		holds := false
		switch how {
		case Less:
			holds = d < e
		case Equal:
			holds = d == e
		case LessEqual:
			holds = d <= e
		case Greater:
			holds = d > e
		case NotEqual:
			holds = d != e
		case GreaterEqual:
			holds = d >= e
		case Always:
			holds = true
		}
		if v[c] = 0; holds {
			v[c] = math.Float32bits(1)
		}
	}
	return v
}
