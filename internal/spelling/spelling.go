// Package spelling says how far a mistyped word is from one that is known. What
// is near enough to be proposed is the caller's to say: names of GPUs and opcodes
// differ in how alike they are among themselves.
package spelling

// Distance is that of Levenshtein: how many letters of a are to be inserted,
// deleted or replaced to make b. "gv10" is one letter from "gv100", "ad.f32" one
// from "add.f32".
func Distance(a, b string) int {
	row := make([]int, len(b)+1) // of the letters of a so far, to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal, row[j+1] = row[j+1], min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Slip reports whether a may be b, mistyped: one letter is wrong, missing or too many,
// or two neighbours changed places.
func Slip(a, b string) bool {
	d := Distance(a, b)
	if d != 2 || len(a) != len(b) {
		return d == 1
	}
	i := 0
	for a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i]
}
