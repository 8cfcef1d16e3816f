package st2

import (
	"math"
	"slices"
)

// What the scale models' and the thesis' programs compute, plainly (benchmarks_test.go).

func plainVectors(in numbers, args []float64) (numbers, float64) {
	out := numbers{}
	for i, a := range in["a"] {
		out["c"] = append(out["c"], a+in["b"][i])
	}
	for _, x := range in["data"] {
		out["data"] = append(out["data"], x+args[1])
	}
	for i, x := range in["walsh"] {
		out["walsh"] = append(out["walsh"], x*in["by"][i]/float64(len(in["walsh"])))
	}
	return out, 1e-6
}

func plainLU(in numbers, args []float64) (numbers, float64) {
	a, n := slices.Clone(in["a"]), int(args[1])
	for k := range n {
		for j := k + 1; j < n; j++ {
			a[k*n+j] /= a[k*n+k]
		}
		for i := k + 1; i < n; i++ {
			for j := k + 1; j < n; j++ {
				a[i*n+j] -= a[i*n+k] * a[k*n+j]
			}
		}
	}
	return numbers{"a": a}, 1e-3 // without pivots
}

func plainStencil(in numbers, args []float64) (numbers, float64) {
	nx, ny, nz, a := int(args[0]), int(args[1]), int(args[2]), in["from"]
	to := make([]float64, len(a))
	for at := range to {
		x, y, z := at%nx, at/nx%ny, at/nx/ny
		if x > 0 && y > 0 && z > 0 && x < nx-1 && y < ny-1 && z < nz-1 {
			to[at] = args[4]*(a[at-1]+a[at+1]+a[at-nx]+a[at+nx]+a[at-nx*ny]+a[at+nx*ny]) - args[3]*a[at]
		}
	}
	return numbers{"to": to}, 1e-6
}

func plainBFS(in numbers, _ []float64) (numbers, float64) {
	cost := slices.Repeat([]float64{-1}, len(in["start"]))
	cost[0] = 0
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		node := queue[0]
		for e := range 6 {
			if to := int(in["edges"][6*node+e]); cost[to] < 0 && cost[node] < 6 { // as many levels are launched
				cost[to] = cost[node] + 1
				queue = append(queue, to)
			}
		}
	}
	return numbers{"cost": cost}, 0
}

func plainDiffusion(in numbers, args []float64) (numbers, float64) {
	side, q0, lambda, image := int(args[0]), args[1], args[3], in["image"]
	of := func(a []float64, y, x int) float64 {
		return a[min(max(y, 0), side-1)*side+min(max(x, 0), side-1)]
	}
	c, out := make([]float64, len(image)), slices.Clone(image)
	toward := func(at int) (n, s, w, e float64) {
		y, x, j := at/side, at%side, image[at]
		return of(image, y-1, x) - j, of(image, y+1, x) - j, of(image, y, x-1) - j, of(image, y, x+1) - j
	}
	for at, j := range image {
		n, s, w, e := toward(at)
		g, l := (n*n+s*s+w*w+e*e)/(j*j), (n+s+w+e)/j
		q := (0.5*g - l*l/16) / math.Pow(1+0.25*l, 2)
		c[at] = min(max(1/(1+(q-q0)/(q0*(1+q0))), 0), 1)
	}
	for at := range image {
		n, s, w, e := toward(at)
		y, x := at/side, at%side
		out[at] += 0.25 * lambda * (c[at]*(n+w) + of(c, y+1, x)*s + of(c, y, x+1)*e)
	}
	return numbers{"image": out, "c": c}, 1e-5
}

func plainCopies(in numbers, _ []float64) (numbers, float64) {
	out := numbers{"to1": in["from"]}
	for _, k := range []struct {
		name  string
		bytes int
	}{{"to2", 2}, {"to4", 4}, {"to8", 4}, {"to16", 4}} {
		for i := 0; i < len(in["from"]); i += k.bytes {
			word := 0.0
			for b := range k.bytes {
				word += in["from"][i+b] * math.Exp2(float64(8*b))
			}
			out[k.name] = append(out[k.name], word)
		}
	}
	return out, 0
}

// product multiplies matrices of n rows by those of n columns.
func product(a, b []float64, n, depth, columns int) []float64 {
	c := make([]float64, n*columns)
	for i := range n {
		for k := range depth {
			for j := range columns {
				c[i*columns+j] += a[i*depth+k] * b[k*columns+j]
			}
		}
	}
	return c
}

func plainGEMM(in numbers, args []float64) (numbers, float64) {
	n, alpha, beta := int(args[0]), args[2], args[3]
	d := product(in["a"], in["b"], n, n, n)
	c := make([]float64, len(d))
	for i := range c {
		c[i] = alpha*d[i] + beta*in["c"][i]
	}
	return numbers{"c": c, "d": d, "e": product(d, in["a"], n, n, n)}, 1e-5
}

// plainWMMA: products of halves are exact in single precision, their sums are rounded.
func plainWMMA(in numbers, args []float64) (numbers, float64) {
	n, depth, alpha, beta := int(args[0]), int(args[1]), args[2], args[3]
	m := len(in["a"]) / depth
	c := make([]float64, m*n)
	for i := range m {
		for j := range n {
			sum := 0.0
			for k := range depth {
				sum += in["a"][i*depth+k] * in["b"][k*n+j]
			}
			c[i*n+j] = alpha*sum + beta*in["c"][i*n+j]
		}
	}
	return numbers{"c": c}, 1e-5
}

func plainLBM(in numbers, args []float64) (numbers, float64) {
	nx, ny, nz, omega := int(args[0]), int(args[1]), int(args[2]), args[3]
	cells, to := nx*ny*nz, make([]float64, len(in["from"]))
	c := [][3]int{{}, {0, 1, 0}, {0, -1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0},
		{0, 1, 1}, {0, 1, -1}, {0, -1, 1}, {0, -1, -1}, {1, 0, 1}, {-1, 0, 1}, {1, 0, -1}, {-1, 0, -1}}
	for at := range cells {
		density, u := 0.0, [3]float64{}
		for d := range c {
			density += in["from"][d*cells+at]
			for k := range u {
				u[k] += float64(c[d][k]) * in["from"][d*cells+at]
			}
		}
		for k := range u {
			u[k] /= density
		}
		for d := range c {
			weight, along := 1.0/36, float64(c[d][0])*u[0]+float64(c[d][1])*u[1]+float64(c[d][2])*u[2]
			if d == 0 {
				weight = 1.0 / 3
			} else if d < 7 {
				weight = 1.0 / 18
			}
			rest := weight * density * (1 + 3*along + 4.5*along*along - 1.5*(u[0]*u[0]+u[1]*u[1]+u[2]*u[2]))
			x, y, z := (at%nx+c[d][0]+nx)%nx, (at/nx%ny+c[d][1]+ny)%ny, (at/nx/ny+c[d][2]+nz)%nz
			f := in["from"][d*cells+at]
			to[d*cells+(z*ny+y)*nx+x] = f - omega*(f-rest)
		}
	}
	return numbers{"to": to}, 1e-5
}

func plainOptions(in numbers, args []float64) (numbers, float64) {
	rate, volatility, out := args[0], args[1], numbers{}
	normal := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	for i, s := range in["spot"] {
		x, t := in["strike"][i], in["years"][i]
		d1 := (math.Log(s/x) + (rate+0.5*volatility*volatility)*t) / (volatility * math.Sqrt(t))
		d2, discounted := d1-volatility*math.Sqrt(t), x*math.Exp(-rate*t)
		out["call"] = append(out["call"], s*normal(d1)-discounted*normal(d2))
		out["put"] = append(out["put"], discounted*normal(-d2)-s*normal(-d1))
	}
	return out, 1e-5
}

func plainGradient(in numbers, _ []float64) (numbers, float64) {
	n := len(in["r"])
	ap := make([]float64, n)
	rr, pap := 0.0, 0.0
	for i := range n {
		for k := 3 * i; k < 3*i+3; k++ { // in["p"] has an element before the first and behind the last
			ap[i] += in["value"][k] * in["p"][1+i+int(in["column"][k])]
		}
		rr, pap = rr+in["r"][i]*in["r"][i], pap+in["p"][1+i]*ap[i]
	}
	out := numbers{}
	for i := range n {
		out["x"], out["r"] = append(out["x"], rr/pap*in["p"][1+i]), append(out["r"], in["r"][i]-rr/pap*ap[i])
	}
	return out, 1e-5
}

// colours is a square with its border of which the two colours stand apart (sor.cu).
type colours struct {
	red, black []float64
	pitch      int
}

// at is the element at a column and a row.
func (c colours) at(i, j int) float64 {
	if (i+j)%2 == 1 {
		return c.red[j*c.pitch+i/2]
	}
	return c.black[j*c.pitch+i/2]
}

// relaxed are the red elements after each that is no border has become what update says.
func (c colours) relaxed(update func(i, j, at int) float64) []float64 {
	out := slices.Clone(c.red)
	for j := 1; j < 2*c.pitch-1; j++ {
		for i := 1; i < 2*c.pitch-1; i++ {
			if (i+j)%2 == 1 {
				out[j*c.pitch+i/2] = update(i, j, j*c.pitch+i/2)
			}
		}
	}
	return out
}

func plainSOR(in numbers, args []float64) (numbers, float64) {
	c, w := colours{in["red"], in["black"], int(args[0])}, args[1]
	return numbers{"red": c.relaxed(func(i, j, at int) float64 {
		return (1-w)*c.red[at] + w/4*(c.at(i-1, j)+c.at(i+1, j)+c.at(i, j-1)+c.at(i, j+1))
	})}, 1e-14
}

func plainLMSOR(in numbers, args []float64) (numbers, float64) {
	c, k, w := colours{in["red"], in["black"], int(args[0])}, args[1], args[2]
	return numbers{"red": c.relaxed(func(i, j, at int) float64 {
		f, g := in["f"][at], in["g"][at]
		around := (1+f)*c.at(i-1, j) + (1-f)*c.at(i+1, j) + (1-g)*c.at(i, j+1) + (1+g)*c.at(i, j-1)
		return (1-w)*c.red[at] + w*k*around
	})}, 1e-14
}

// plainMix: what comes to -1 is stored, for which the small numbers are chosen.
func plainMix(in numbers, args []float64) (numbers, float64) {
	n, out := len(in["ins32"]), make([]float64, len(in["ins32"]))
	for l := 0; l < len(args)/3; l += 2 { // of the integers' launches: a seed and a number of squares each
		seed, squares := float64(int32(uint32(args[len(args)/3*2+l]))), int(args[len(args)/3*2+l+1])
		for thread := range n / 32 {
			for fused := range 4 {
				at, sum, t := thread/256*2048+thread%256+fused*n/4, 0.0, [8]float64{}
				for j := range t {
					t[j] = in["ins32"][at+256*j]
					for range squares {
						t[j] = t[j]*t[j] + seed
					}
				}
				for j := 0; j < 8; j += 2 {
					sum += t[j] * t[j+1]
				}
				if sum == -1 {
					out[at] = -1
				}
			}
		}
	}
	return numbers{"outs32": out}, 0
}

func plainMembench(in numbers, _ []float64) (numbers, float64) {
	threads, ctas := len(in["out"]), len(in["sums1"])
	sums := slices.Repeat([]float64{float64(int32(1024 * 0x03030303 & math.MaxUint32))}, ctas)
	out := make([]float64, threads)
	for at := range out {
		// 5 swaps carry the first word to the end, 1,024 times; both words of two, four of four.
		words := make([]int32, 6)
		for i := range words {
			words[(i+6-1024%6)%6] = int32(at + i)
		}
		sum := int32(0)
		for _, w := range words {
			sum = sum*3 + w
		}
		out[at] = float64(4 * sum)
	}
	return numbers{"out": out, "sums1": sums, "sums2": sums, "sums4": sums}, 0
}
