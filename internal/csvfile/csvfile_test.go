package csvfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestRows: lines are those of the file, whatever lies between rows; what is
// wrong with a row does not end the reading, what is no CSV does.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		format Format
		text   string
		want   []string
	}{
		{Format{}, "a,b\n1,2\n\n3,\"4\n5\"\n6,7\n", []string{"2 [1 2]", "4 [3 4\n5]", "6 [6 7]"}},
		{Format{Comment: '#'}, "# from here\n a , b\n# and\n1,2\n", []string{"4 [1 2]"}},
		{Format{Comma: '\t'}, "a\tb\n1,0\t2\n", []string{"2 [1,0 2]"}},
		{Format{}, "a,b\n1\n1,2,3\n4,5\n", []string{"2 [1] has 1 of 2 columns", "3 [1 2 3] has 3 of 2 columns", "4 [4 5]"}},
		{Format{Lenient: true}, "a,b\n1\n1, 2,\nx \"y\",5\n", []string{"2 [1] has 1 of 2 columns", "3 [1 2 ]", `4 [x "y" 5]`}},
		{Format{}, "a,b\nx \"y\",5\n6,7\n", []string{`2 [] column 3: bare " in non-quoted-field`}},
		{Format{MaxRows: 1}, "a,b\n1,2\n3,4\n5,6\n", []string{"2 [1 2]", "3 [] more than 1 rows"}},
	} {
		table, err := c.format.Open("t.csv", []byte(c.text), "b", "a")
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var got []string
		for row, err := range table.Rows() {
			line := fmt.Sprint(row.Line, " ", row.Cells)
			if err != nil {
				line += " " + err.Error()
			}
			got = append(got, line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestHeader: what is wrong with it is said before any row is read.
func TestHeader(t *testing.T) {
	for _, c := range []struct {
		format     Format
		text, want string
	}{
		{Format{}, "", "t.csv: is empty: a header with the columns a, b, and rows, are expected"},
		{Format{Comment: '#'}, "# no more\n", "t.csv: is empty: a header with the columns a, b, and rows, are expected"},
		{Format{}, "a,c\n", `t.csv: there is no column "b": needed are a, b`},
		{Format{}, "a,b,a\n", `t.csv: column "a" stands twice`},
		{Format{}, "\n\"a\"x,b\n", `t.csv: line 2: column 3: extraneous or missing " in quoted-field`},
		{Format{}, strings.Repeat("a", MaxBytes+1), "t.csv: more than 67108864 bytes"},
	} {
		if _, err := c.format.Open("t.csv", []byte(c.text), "a", "b"); err == nil || err.Error() != c.want {
			t.Errorf("%.20q: %v, want %s", c.text, err, c.want)
		}
	}
	table, err := Format{Lenient: true}.Open("t.csv", []byte("a,b,a\n"), "a", "b")
	if err != nil || table.Column["a"] != 0 {
		t.Errorf("a column twice: %+v, %v", table, err)
	}
}

type point struct {
	Run     string  `csv:"run"`
	TimeUs  float64 `csv:"time_us"`
	Threads int     `csv:"threads,omitempty"`
}

// TestInto: rows fill structs, whatever the order of their columns.
func TestInto(t *testing.T) {
	got, err := Into[point](Format{Comment: '#'}, "t.csv", []byte("time_us,run\n0.5,x\n# y was slow\n2,z\n"))
	if want := []point{{"x", 0.5, 0}, {"z", 2, 0}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	const head = "run,time_us,threads\n"
	for _, c := range []struct{ text, want string }{
		{"", "t.csv: is empty: a header with the columns run, time_us, and rows, are expected"},
		{head, "t.csv: no rows: a header and at least one row are needed"},
		{"run\nx\n", `t.csv: there is no column "time_us": needed are run, time_us`},
		{"run,time_us,time_ms\nx,1,1\n", `t.csv: column "time_ms": the unit does not fit: it must be given as time_us`},
		{"run,time_us,color\nx,1,1\n", `t.csv: unknown column "color": the columns are run, time_us, threads`},
		{head + "x,1,2\n\n# late\ny,fast,2\n", `t.csv: line 5: column time_us: strconv.ParseFloat: parsing "fast": invalid syntax`},
		{head + "x,1,2\ny,1\n", "t.csv: line 3: has 2 of 3 columns"},
	} {
		if _, err := Into[point](Format{Comment: '#'}, "t.csv", []byte(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}
