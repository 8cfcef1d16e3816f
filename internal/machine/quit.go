package machine

import (
	"context"
	"sync/atomic"
)

// Code of a million instructions takes seconds, which a launch that has a time limit may
// not have. So every loop that such code makes long looks whether it is to end, at a
// flag, which costs what reading a word does. Between two looks lies no more than one walk
// over nodes that does little with each. What is half made then is of no use to anybody:
// the work unwinds as a panic that only within knows.

// quit says whether work is to end; nil never ends any.
type quit struct{ over atomic.Bool }

// quitting unwinds the work.
type quitting struct{}

// newQuit returns what ends work when ctx ends; done ends the watch.
func newQuit(ctx context.Context) (q *quit, done func() bool) {
	q = &quit{}
	if ctx.Err() != nil {
		q.over.Store(true)
	}
	return q, context.AfterFunc(ctx, func() { q.over.Store(true) })
}

// look ends the work if it is to end.
func (q *quit) look() {
	if q != nil && q.over.Load() {
		panic(quitting{})
	}
}

// within does work that looks, and returns why it ended before it was done.
func within[T any](ctx context.Context, work func(q *quit) T) (of T, err error) {
	q, done := newQuit(ctx)
	defer done()
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case quitting:
			err = context.Cause(ctx)
		default:
			panic(r)
		}
	}()
	return work(q), nil
}
