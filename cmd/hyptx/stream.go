package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"hyptx/analysis"
	"hyptx/internal/guard"
)

// A program may have a hundred thousand launches, with some KB of figures each. Where
// nothing but files of rows is asked for, the rows of a launch are written as it ends,
// and nothing of it is kept: memory does not grow with the launches, and when a run is
// to end early all that is left to write is what stands in a buffer.
//
// What looks at all launches together (a table, a document, explanations) needs them all
// in the end. So do several programs in one file: each row has the hash of the inputs of
// all of them, of which the last is read when the others have run.

// rowsOf writes the rows that a view has of some launches.
type rowsOf func(ctx context.Context, p *analysis.Profile, write func(rows any) error) error

// asRowsOf is that of a view whose rows are made at once.
func asRowsOf(rows func(p *analysis.Profile) any) rowsOf {
	return func(_ context.Context, p *analysis.Profile, write func(any) error) error { return write(rows(p)) }
}

// stream are the files of rows that are written while launches run.
type stream struct {
	a *app
	// mu is held by who writes: work that is left behind may be at it still.
	mu      sync.Mutex
	stamp   func() analysis.Stamp
	metrics []string
	notes   *launchNotes
	files   map[*output]*rowFile
	outputs []*output
}

// rowFile is one of the files.
type rowFile struct {
	*outFile
	write func(rows any) error
	// failed is why it will not appear, nil if it will.
	failed error
}

// streamed returns a stream of the outputs that were asked for; nil where they need all
// launches at once.
func (f *profileFlags) streamed(a *app, programs int, notes *launchNotes) *stream {
	s := &stream{a: a, stamp: func() analysis.Stamp { return stampOf(f.inputs) }, metrics: f.metrics, notes: notes, files: map[*output]*rowFile{}}
	for _, o := range f.outputs {
		if o.asked() && o.rows != nil {
			s.outputs = append(s.outputs, o)
		}
	}
	document := f.asDocument() || f.outputs[1].asked()
	if !f.toFile() || document || f.explain || f.verify || f.format == "hypa" || programs != 1 {
		return nil
	}
	return s
}

// hear writes what there is of a launch.
func (s *stream) hear(p *analysis.Profile) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes.add(s.a, p)
	for _, o := range s.outputs {
		f := s.files[o]
		if f == nil {
			begun, err := s.a.create(context.Background(), o.path)
			if err != nil {
				return fmt.Errorf("%s %s: %w", o.flag, o.path, err)
			}
			f = &rowFile{outFile: begun, write: analysis.RowWriter(begun, s.stamp(), s.metrics...)}
			s.files[o] = f
		}
		if err := o.rows(s.a.ctx, p, f.write); err != nil {
			if s.a.ctx.Err() == nil {
				f.failed = err
			}
			return fmt.Errorf("%s %s: %w", o.flag, o.path, err)
		}
	}
	return nil
}

// finish writes the last rows, those of totals, and lets the files appear. It returns
// the outputs that are yet to be written.
func (s *stream) finish(outputs []*output, p *analysis.Profile) (rest []*output, failed error) {
	if s == nil {
		return outputs, nil
	}
	for _, o := range outputs {
		f := s.files[o]
		if f == nil {
			rest = append(rest, o)
			continue
		}
		if f.failed != nil { // which was said when it came up
			_ = f.end(f.failed)
			continue
		}
		_, _, err := guard.Within(s.a.ctx, graceTime, func() (any, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if err := o.rows(context.WithoutCancel(s.a.ctx), p, f.write); err != nil {
				return nil, err
			}
			return nil, f.Flush()
		})
		if err = f.end(err); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s %s: %w", o.flag, o.path, err))
		}
	}
	return rest, failed
}
