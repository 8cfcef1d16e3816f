package spelling

import "testing"

func TestSlip(t *testing.T) {
	for _, pair := range [][2]string{{"tdi", "tid"}, {"tid", "tidx"}, {"tif", "tid"}, {"add", "ad"}} {
		if !Slip(pair[0], pair[1]) || !Slip(pair[1], pair[0]) {
			t.Errorf("%s is no slip for %s", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"tid", "tid"}, {"tid", "dit"}, {"abcd", "abxy"}, {"abc", "abcde"}, {"axb", "ayc"}} {
		if Slip(pair[0], pair[1]) {
			t.Errorf("%s is a slip for %s", pair[0], pair[1])
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"gv10", "gv100", 1}, {"a10", "a100", 1}, {"adb", "add", 1}, {"ab", "ba", 2},
		{"kitten", "sitting", 3}, {"saturday", "sunday", 3}, // the textbooks' examples
	} {
		if got, back := Distance(c.a, c.b), Distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q and %q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
