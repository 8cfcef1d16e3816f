package power

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/gocarina/gocsv"
)

// readStrict reads a CSV file into a slice of rows. Columns other than those of
// allowed are an error, as are the first needed ones if they are not there.
func readStrict(r io.Reader, name string, allowed []string, needed int, rows any) error {
	text, err := io.ReadAll(io.LimitReader(r, maxActivityBytes+1))
	if err != nil {
		return err
	}
	if len(text) > maxActivityBytes {
		return fmt.Errorf("%s: more than %d bytes", name, maxActivityBytes)
	}
	head, err := csv.NewReader(bytes.NewReader(text)).Read()
	if err == io.EOF {
		return fmt.Errorf("%s: is empty: a header with the columns %s, and rows, are expected", name, strings.Join(allowed, ", "))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i, c := range head {
		head[i] = strings.TrimPrefix(strings.TrimSpace(c), "\ufeff")
		if slices.Contains(head[:i], head[i]) {
			return fmt.Errorf("%s: column %q stands twice", name, head[i])
		}
		if slices.Contains(allowed, head[i]) {
			continue
		}
		stem, _, _ := strings.Cut(head[i], "_")
		if right, ok := stateColumns[stem]; ok && slices.Contains(allowed, right) {
			return fmt.Errorf("%s: column %q: the unit does not fit: it must be given as %s", name, c, right)
		}
		return fmt.Errorf("%s: unknown column %q: the columns are %s", name, c, strings.Join(allowed, ", "))
	}
	for _, c := range allowed[:needed] {
		if !slices.Contains(head, c) {
			return fmt.Errorf("%s: there is no column %s: the columns are %s", name, c, strings.Join(allowed, ", "))
		}
	}
	if err := gocsv.UnmarshalBytes(text, rows); err != nil {
		if pe := (*csv.ParseError)(nil); errors.As(err, &pe) && pe.Column >= 1 && pe.Column <= len(head) {
			return fmt.Errorf("%s: line %d, column %s: %w", name, pe.Line, head[pe.Column-1], pe.Err)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	if reflect.ValueOf(rows).Elem().Len() == 0 {
		return fmt.Errorf("%s: no rows: a header and at least one row are needed", name)
	}
	return nil
}
