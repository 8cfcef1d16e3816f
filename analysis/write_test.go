package analysis

import (
	"reflect"
	"strings"
	"testing"

	"hyptx/internal/number"

	"github.com/gocarina/gocsv"
)

// TestRowsAsCSV: rows of launches are written as rows of any type are.
func TestRowsAsCSV(t *testing.T) {
	var full Row
	row := reflect.ValueOf(&full).Elem()
	for i := range row.NumField() {
		switch f := row.Field(i).Addr().Interface().(type) {
		case *string:
			*f = "a \"name\", " + row.Type().Field(i).Name
		case *number.Int:
			*f = number.Count(uint64(i) << 40)
		case *number.Real:
			*f = number.Ratio(float64(i) / 3)
		}
	}
	rows := []*Row{&full, {}, {Network: "\n", Count: number.Count(0)}}
	stamp := Stamp{"v", "hash"}
	var want, got strings.Builder
	if err := gocsv.MarshalCSV(rows, newStampWriter(&want, stamp)); err != nil {
		t.Fatal(err)
	}
	if err := (&Profile{Rows: rows}).WriteCSV(&got, stamp, nil); err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("rows are\n%s\nnot\n%s", got.String(), want.String())
	}
}
