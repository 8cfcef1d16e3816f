package devicelib

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"hyptx/ir"
	"hyptx/parser"
)

// TestText: all functions are written in PTX that is read without an error, in one module
// and by themselves, and their parameters are those that CUDA declares.
func TestText(t *testing.T) {
	for _, pointer := range []int{8, 4} {
		var all []Declared
		for _, name := range append(slices.Sorted(maps.Keys(functions())), slices.Sorted(maps.Keys(runtime))...) {
			d, ok := declaration(name, pointer)
			if !ok {
				t.Fatalf("%s is not known", name)
			}
			all = append(all, d)
		}
		if len(all) < 350 {
			t.Errorf("%d functions", len(all))
		}
		text, err := Text(all, pointer, DefaultHeapBytes)
		if err != nil {
			t.Fatal(err)
		}
		src, err := parser.Parse("library", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		m, err := ir.Lower(src, ir.AsLibrary)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			if f := m.Func(d.Name); f == nil || !f.Defined || len(f.Params) != len(d.Params) {
				t.Errorf("%s: %+v", d.Name, f)
			}
		}
		if src, err = parser.Parse("user", []byte(text)); err == nil {
			_, err = ir.Lower(src)
		}
		if err == nil || !strings.Contains(err.Error(), "library") {
			t.Errorf("instructions of the library are read in anybody's module: %v", err)
		}
	}
	if _, err := Text([]Declared{{"__nv_expf", []int{8}, 4}}, 8, 0); err == nil {
		t.Error("expf of a double is taken")
	}
	if text, err := Text([]Declared{{Name: "frobnicate"}}, 8, 0); text != "" || err != nil {
		t.Errorf("%q %v", text, err)
	}
}

// TestFormat: what C's printf writes (C17 7.21.6.1).
func TestFormat(t *testing.T) {
	f := math.Float64bits
	for _, c := range []struct {
		format, want string
		n            int
		args         []uint64
	}{
		{"%d %i|%5d|%-5d|%05d|%+d|% d", "-3 4|    5|6    |00007|+8| 9", 7, []uint64{0xfffffffd, 4, 5, 6, 7, 8, 9}},
		{"%u %x %X %#x %o %#o %lld %llu %lx", "4294967295 ff FF 0xff 17 017 -1 18446744073709551615 123456789abcdef", 9,
			[]uint64{0xffffffff, 255, 255, 255, 15, 15, math.MaxUint64, math.MaxUint64, 0x123456789abcdef}},
		{"%hd %hhd %hu %.3d|%8.3d|%.0d|", "-1 1 65535 007|     007||", 6, []uint64{0xffff, 0x101, 0xffffffff, 7, 7, 0}},
		{"%f %.2f %10.3f|%-10.1f|%e %E %g %G", "1.500000 0.33      2.000|3.2       |1.000000e+10 1.000000E-05 1e+06 0.0001", 8,
			[]uint64{f(1.5), f(1.0 / 3), f(2), f(3.25), f(1e10), f(1e-5), f(1e6), f(1e-4)}},
		{"%g %g %#g %.0f %+.1f %08.2f % f", "0.1 123457 1.00000 2 +2.5 -0001.50  1.000000", 7, []uint64{f(0.1), f(123456.7), f(1), f(2.5), f(2.5), f(-1.5), f(1)}},
		{"%f %F %5f|%a %A %.2a", "inf -INF   nan|0x1p+0 0X1.8P+1 0x1.55p-2", 6, []uint64{f(math.Inf(1)), f(math.Inf(-1)), f(math.NaN()), f(1), f(3), f(1.0 / 3)}},
		{"%c%c|%3c|%s|%5s|%-5s|%.2s|", "ab|  c|word| word|word |wo|", 7, []uint64{'a', 'b', 'c', 1, 1, 1, 1}},
		{"%p %p 100%%", "0x7f0000000010 0x0 100%", 2, []uint64{0x7f0000000010, 0}},
		{"%*d|%-*d|%.*f|%*d", "    1|2   |3.14|4  ", 8, []uint64{5, 1, 4, 2, 2, f(3.14159), 0xfffffffd, 4}},
		{"plain", "plain", 0, nil}, {"cut %5", "cut %5", -1, nil}, {"%", "%", -1, nil}, {"%y", "%y", 1, nil},
		{"%999999999d", strings.Repeat(" ", mostPadding-1) + "1", 1, []uint64{1}},
	} {
		args := c.args
		got, n := Format(c.format, 8, func(int) uint64 {
			if len(args) == 0 {
				return 0
			}
			v := args[0]
			args = args[1:]
			return v
		}, func(uint64) string { return "word" })
		if got != c.want || n != c.n || len(args) != 0 {
			t.Errorf("%q: %q and %d, want %q and %d; %d arguments left", c.format, got, n, c.want, c.n, len(args))
		}
	}
}

// FuzzFormat: no format ends the program.
func FuzzFormat(f *testing.F) {
	f.Add("%d %-08.3lld %*s")
	f.Fuzz(func(t *testing.T, format string) {
		out, _ := Format(format, 8, func(int) uint64 { return 0x7fffffff7fffffff }, func(uint64) string { return "s" })
		if len(out) > len(format)*(mostPadding+400) {
			t.Errorf("%q: %d bytes", format, len(out))
		}
	})
}
