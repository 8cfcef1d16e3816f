package st2

import (
	"math"
	"slices"
)

// What the kernels of published suites compute, plainly (benchmarks_test.go).

func plainBackprop(in numbers, _ []float64) (numbers, float64) {
	rows := len(in["input"])
	out := numbers{"partial": make([]float64, rows), "weights": slices.Clone(in["weights"])}
	for r := range rows {
		for x := range 16 {
			out["partial"][r/16*16+x] += in["weights"][16*r+x] * in["input"][r]
		}
	}
	// The sums of the tree stay where the weights were, and these are what is changed.
	for r := range rows {
		for x := range 16 {
			sum := 0.0
			for k := range r%16&-(r%16) | (16 - min(r%16, 1)*16) {
				sum += in["weights"][16*(r+k)+x] * in["input"][r+k]
			}
			out["weights"][16*r+x] = sum + 0.3*in["delta"][x]*in["input"][r] + 0.3*in["before"][16*r+x]
		}
	}
	return out, 1e-6
}

func plainBinomial(in numbers, args []float64) (numbers, float64) {
	steps, move, up, down := int(args[0]), args[1], args[2], args[3]
	value := make([]float64, len(in["spot"]))
	for o := range value {
		v := make([]float64, steps+1)
		for i := range v {
			v[i] = max(in["spot"][o]*math.Exp2(move*float64(2*i-steps))-in["strike"][o], 0)
		}
		for n := steps; n > 0; n-- {
			for i := range n {
				v[i] = up*v[i+1] + down*v[i]
			}
		}
		value[o] = v[0]
	}
	return numbers{"value": value}, 1e-4
}

func plainTree(in numbers, args []float64) (numbers, float64) {
	// Leaves are all numbers, records count by three from seven.
	out := numbers{}
	for _, q := range in["queries"] {
		out["answer"] = append(out["answer"], 7+3*q)
	}
	for _, q := range in["from"] {
		out["start"], out["length"] = append(out["start"], 7+3*q), append(out["length"], args[0]+1)
	}
	return out, 0
}

func plainDCT(in numbers, args []float64) (numbers, float64) {
	width := int(args[0])
	cosine := func(frequency, pixel int) float64 {
		scale := 0.5
		if frequency == 0 {
			scale = math.Sqrt(0.125)
		}
		return scale * math.Cos(float64((2*pixel+1)*frequency)*math.Pi/16)
	}
	out := make([]float64, len(in["in"]))
	for y := range len(out) / width {
		for x := range width {
			sum := 0.0
			for k := range 8 {
				for l := range 8 {
					sum += cosine(y%8, k) * in["in"][(y/8*8+k)*width+x/8*8+l] * cosine(x%8, l)
				}
			}
			out[y*width+x] = sum
		}
	}
	return numbers{"out": out, "fast": out}, 1e-6
}

// lift is a step of the 5/3 wavelet of a line: low halves first.
func lift(line []int) []int {
	n := len(line)
	at := func(i int) int {
		if i < 0 {
			i = -i
		} else if i >= n {
			i = 2*(n-1) - i
		}
		return line[i]
	}
	high := func(i int) int {
		if i < 0 {
			i = -i - 1 // the samples about 0 are the same on both sides
		}
		return at(2*i+1) - (at(2*i)+at(2*i+2))>>1
	}
	out := make([]int, n)
	for i := range n / 2 {
		out[n/2+i] = high(i)
		out[i] = at(2*i) + (high(i-1)+high(i)+2)>>2
	}
	return out
}

func plainDWT(in numbers, args []float64) (numbers, float64) {
	out := numbers{}
	from, pitch := in["r"], int(args[2])
	for level, n := range []int{int(args[0]), int(args[3])} {
		rows := make([][]int, n)
		for y := range rows {
			line := make([]int, n)
			for x := range line {
				line[x] = int(from[y*pitch+x])
			}
			rows[y] = lift(line)
		}
		to := make([]float64, n*n)
		for x := range n {
			column := make([]int, n)
			for y := range column {
				column[y] = rows[y][x]
			}
			for y, v := range lift(column) {
				to[y*n+x] = float64(v)
			}
		}
		from, pitch = to, n
		out[[]string{"r1", "r2"}[level]] = to
	}
	return out, 0
}

func plainHistogram(in numbers, args []float64) (numbers, float64) {
	each := 64 * int(args[1])
	partial := make([]float64, len(in["partial"]))
	for i, w := range in["data"] {
		for b := range 4 {
			partial[i/each*64+int(uint32(w)>>(8*b+2)&63)]++
		}
	}
	return numbers{"partial": partial}, 0
}

func plainHotSpot(in numbers, args []float64) (numbers, float64) {
	columns, rows, t := int(args[1]), int(args[2]), in["from"]
	stepOverCap, rx, ry, rz := args[8]/args[4], args[5], args[6], args[7]
	for range int(args[0]) {
		next := make([]float64, len(t))
		for at, now := range t {
			x, y := at%columns, at/columns
			of := func(y, x int) float64 { return t[min(max(y, 0), rows-1)*columns+min(max(x, 0), columns-1)] }
			next[at] = now + stepOverCap*(in["power"][at]+(of(y+1, x)+of(y-1, x)-2*now)/ry+(of(y, x+1)+of(y, x-1)-2*now)/rx+(80-now)/rz)
		}
		t = next
	}
	return numbers{"to": t}, 1e-6
}

func plainKMeans(in numbers, args []float64) (numbers, float64) {
	points, dimensions, clusters := int(args[0]), int(args[1]), int(args[2])
	nearest := make([]float64, points)
	for p := range points {
		least := math.Inf(1)
		for c := range clusters {
			d := 0.0
			for l := range dimensions {
				d += math.Pow(in["features"][l*points+p]-in["centres"][c*dimensions+l], 2)
			}
			if d < least {
				least, nearest[p] = d, float64(c)
			}
		}
	}
	return numbers{"membership": nearest}, 0
}

// sorted are the keys of each part of so many, and their values in the order of keys,
// downwards in every second part if asked for.
func sorted(in numbers, part int, alternate bool) (keys, values []float64) {
	n := len(in["keys"])
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for p := 0; p < n; p += part {
		slices.SortStableFunc(order[p:p+part], func(a, b int) int {
			d := int(in["keys"][a]) - int(in["keys"][b])
			if alternate && p/part%2 == 1 {
				return -d
			}
			return d
		})
	}
	for _, i := range order {
		keys, values = append(keys, in["keys"][i]), append(values, in["values"][i])
	}
	return keys, values
}

func plainMergeSort(in numbers, _ []float64) (numbers, float64) {
	keys, values := sorted(in, 1024, false)
	return numbers{"keys": keys, "values": values}, 0 // it is stable
}

func plainMerge(in numbers, _ []float64) (numbers, float64) {
	keys, values := sorted(in, len(in["keys"]), false) // after an odd number of merges
	return numbers{"keys2": keys, "values2": values}, 0
}

func plainSortNets(in numbers, _ []float64) (numbers, float64) {
	keys, values := sorted(in, len(in["keys"]), false)
	return numbers{"keys": keys, "values": values}, 0 // no two keys are alike
}

func plainMRIQ(in numbers, args []float64) (numbers, float64) {
	out := numbers{"qr": make([]float64, len(in["x"])), "qi": make([]float64, len(in["x"]))}
	for i := range in["x"] {
		for s := range 2 * int(args[0]) {
			k := in["k"][4*s:]
			sin, cos := math.Sincos(2 * math.Pi * (k[0]*in["x"][i] + k[1]*in["y"][i] + k[2]*in["z"][i]))
			out["qr"][i] += k[3] * cos
			out["qi"][i] += k[3] * sin
		}
	}
	return out, 1e-5
}

func plainPathfinder(in numbers, args []float64) (numbers, float64) {
	columns := int(args[0])
	cost := slices.Clone(in["first"])
	for r := range len(in["wall"]) / columns {
		next := make([]float64, columns)
		for x := range next {
			next[x] = min(cost[max(x-1, 0)], cost[x], cost[min(x+1, columns-1)]) + in["wall"][r*columns+x]
		}
		cost = next
	}
	return numbers{"second": cost}, 0 // after three launches
}

func plainQRNG(in numbers, args []float64) (numbers, float64) {
	n := int(args[1])
	out := numbers{"points": make([]float64, 3*n), "normal": make([]float64, 3*n)}
	for i := range n {
		for d := range 3 {
			x := uint32(0)
			for bit := range 31 {
				if i>>bit&1 != 0 {
					for b := range 4 {
						x ^= uint32(in["table"][4*(31*d+bit)+b]) << (8 * b)
					}
				}
			}
			out["points"][d*n+i] = float64(float32(x+1)) / (1 << 31)
		}
	}
	for i := range 3 * n {
		u := float64(uint32(i+1)*(math.MaxUint32/uint32(3*n+1))) / (1 << 32)
		out["normal"][i] = math.Sqrt2 * math.Erfinv(2*u-1)
	}
	return out, 2e-5
}

func plainSAD(in numbers, args []float64) (numbers, float64) {
	width, height, reach := int(args[0]), int(args[1]), int(args[2])
	var out []float64
	for top := 0; top < height; top += 4 {
		for left := 0; left < width; left += 4 {
			for dy := -reach; dy <= reach; dy++ {
				for dx := -reach; dx <= reach; dx++ {
					sum := 0.0
					for i := range 16 {
						y, x := top+i/4, left+i%4
						at := min(max(y+dy, 0), height-1)*width + min(max(x+dx, 0), width-1)
						sum += math.Abs(in["frame"][y*width+x] - in["other"][at])
					}
					out = append(out, sum)
				}
			}
		}
	}
	return numbers{"out": out}, 0
}

func plainSGEMM(in numbers, args []float64) (numbers, float64) {
	m, n, depth := int(args[0]), int(args[1]), int(args[2])
	c := make([]float64, m*n)
	for i := range m {
		for j := range n {
			for k := range depth {
				c[j*m+i] += in["a"][k*m+i] * in["b"][k*n+j]
			}
		}
	}
	return numbers{"c": c}, 1e-6
}

func plainSobol(in numbers, args []float64) (numbers, float64) {
	n := int(args[0])
	out := make([]float64, len(in["points"]))
	for at := range out {
		i, d := at%n, at/n
		x := uint32(0)
		for k, gray := 0, i^i>>1; gray != 0; k, gray = k+1, gray>>1 {
			if gray&1 != 0 {
				x ^= uint32(in["directions"][32*d+k])
			}
		}
		out[at] = float64(x) / (1 << 32)
	}
	return numbers{"points": out}, 1e-6
}

func plainSRAD(in numbers, args []float64) (numbers, float64) {
	rows, columns, q0 := int(args[0]), int(args[1]), args[2]
	image, c := in["image"], make([]float64, rows*columns)
	dn, de := make([]float64, rows*columns), make([]float64, rows*columns)
	for at := range c {
		row, column := at%rows, at/rows
		of := func(r, c int) float64 {
			return image[min(max(c, 0), columns-1)*rows+min(max(r, 0), rows-1)] - image[at]
		}
		n, s, w, e, j := of(row-1, column), of(row+1, column), of(row, column-1), of(row, column+1), image[at]
		g, l := (n*n+s*s+w*w+e*e)/(j*j), (n+s+w+e)/j
		q := (0.5*g - l*l/16) / math.Pow(1+0.25*l, 2)
		c[at], dn[at], de[at] = min(max(1/(1+(q-q0)/(q0*(1+q0))), 0), 1), n, e
	}
	return numbers{"c": c, "dn": dn, "de": de}, 1e-5
}

func plainWalsh(in numbers, _ []float64) (numbers, float64) {
	d := slices.Clone(in["data"])
	for stride := len(d) / 2; stride > 0; stride /= 2 {
		for i := range d {
			if i&stride == 0 {
				d[i], d[i+stride] = d[i]+d[i+stride], d[i]-d[i+stride]
			}
		}
	}
	return numbers{"data": d}, 1e-5
}
