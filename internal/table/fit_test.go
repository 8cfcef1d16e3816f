package table

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFit: a table gives way in an order: headings on two lines, texts cut in the
// middle, then columns by rank, of which a note tells.
func TestFit(t *testing.T) {
	columns := []Column{{Heading: "launch"}, {Heading: "kernel", Text: true}, {Heading: "warp inst", Rank: 1}, {Heading: "thread inst", Rank: 2}, {Heading: "ms", Rank: 3}}
	row := []string{"0", "convolution_of_a_long_name_forward", "1234567", "12345678", "7"}
	// Two before each column: 6, 34, 9, 11 and 2 wide are 72; 6, 34, 9, 10 and 2
	// are 71 with headings on two lines; 61 with a name of 24.
	for _, c := range []struct {
		width        int
		stacked      bool
		kernel, left string
	}{
		{0, false, row[1], ""},
		{72, false, row[1], ""},
		{71, true, row[1], ""},
		{61, true, "convolution_of...forward", ""},
		{60, true, "convolution_of_a..._forward", "ms"},
		{47, true, "convolution_of_a...forward", "ms, thread inst"},
	} {
		var b strings.Builder
		if err := Write(&b, columns, [][]string{row}, func(int) bool { return false }, c.width); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(line) - 1; c.width > 0 && n > c.width {
				t.Errorf("width %d: %d columns in %q", c.width, n, line)
			}
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		if !strings.Contains(text, " 0 "+c.kernel+" 1,234,567") {
			t.Errorf("width %d: no %s in\n%s", c.width, c.kernel, b.String())
		}
		if stacked := !strings.Contains(text, "warp inst"); stacked != c.stacked {
			t.Errorf("width %d: headings on two lines: %v\n%s", c.width, stacked, b.String())
		}
		_, left, _ := strings.Cut(text, " columns: ")
		if left, _, _ = strings.Cut(left, "."); left != c.left {
			t.Errorf("width %d: left out are %q, want %q", c.width, left, c.left)
		}
	}
	if row[1] != "convolution_of_a_long_name_forward" {
		t.Error("the caller's cells have changed")
	}
}
