package hypa

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"hyptx/analysis"
	"hyptx/internal/number"
	"hyptx/internal/source"
)

// Measure profiles a network so many times, from its file to rows, and with verify once more
// beside full emulation.
func Measure(ctx context.Context, name, path string, o analysis.Options, repetitions int, verify bool) (*Row, []analysis.Input, error) {
	var row *Row
	var inputs []analysis.Input
	var times []float64
	for range repetitions {
		s, again, took, err := profile(ctx, name, path, o)
		if err != nil {
			return nil, nil, err
		}
		if times = append(times, took); row == nil {
			row, inputs = again, s.Inputs
		}
		if !reflect.DeepEqual(row, again) {
			return nil, nil, fmt.Errorf("BUG: two profiles of %s differ: %+v, %+v", name, row, again)
		}
	}
	if verify {
		o.Verify = true
		_, _, took, err := profile(ctx, name, path, o)
		if err != nil {
			return nil, nil, err
		}
		row.VerifiedMS = number.Ratio(took)
	}
	row.setTimes(times)
	return row, inputs, nil
}

// profile profiles a network once, and says how many milliseconds that took.
func profile(ctx context.Context, name, path string, o analysis.Options) (*analysis.Session, *Row, float64, error) {
	begun := time.Now()
	src, err := source.Read(path, nil)
	if err != nil {
		return nil, nil, 0, err
	}
	s, err := analysis.OpenManifest(src, o)
	if err != nil {
		return nil, nil, 0, err
	}
	p, err := analysis.ProfileAll(ctx, []*analysis.Session{s})
	if err != nil {
		return nil, nil, 0, err
	}
	took := float64(time.Since(begun)) / float64(time.Millisecond)
	var meta struct{ MultiplyAdds, Parameters uint64 }
	if err := json.Unmarshal(s.Manifest.Meta, &meta); err != nil {
		return nil, nil, 0, fmt.Errorf("%s: meta: %w", path, err)
	}
	row := newRow(name, p)
	row.MultiplyAdds, row.Parameters = number.Count(meta.MultiplyAdds), number.Count(meta.Parameters)
	return s, row, took, nil
}
