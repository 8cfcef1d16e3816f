package texel

import "math"

// faces is the number of those of a cube.
const faces = 6

// face returns which face of a cube a direction meets, and where: normalised coordinates
// in the face (CUDA C++ Programming Guide, Cubemap Textures, table of faces). The guide
// does not say whose a direction is that meets an edge; here z goes before y before x.
func face(d [3]float64) (n int64, at [3]float64, edge bool) {
	x, y, z := d[0], d[1], d[2]
	ax, ay, az := math.Abs(x), math.Abs(y), math.Abs(z)
	var s, t, m float64
	switch {
	case az >= ax && az >= ay:
		if n, m, s, t = 4, z, x, -y; math.Signbit(z) {
			n, m, s, t = 5, -z, -x, -y
		}
		edge = az == ax || az == ay
	case ay >= ax:
		if n, m, s, t = 2, y, x, z; math.Signbit(y) {
			n, m, s, t = 3, -y, x, -z
		}
		edge = ay == ax
	default:
		if n, m, s, t = 0, x, -z, -y; math.Signbit(x) {
			n, m, s, t = 1, -x, z, -y
		}
	}
	return n, [3]float64{(s/m + 1) / 2, (t/m + 1) / 2, 0}, edge || !(m > 0)
}
