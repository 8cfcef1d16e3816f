// Package guard bounds work that cannot be told to stop: a call of a driver that
// may hang, an analysis whose loops know no context.
//
// Whoever asks for such work waits for it no longer than the context lasts, and a
// moment more, in which work that does look at its context ends by itself and
// gives back what it holds. Work that does not is left behind: it keeps its
// goroutine and what it was given until it ends or the process does, so nobody may
// use that afterwards. To look at a context in every loop of a parser would cost
// all runs something for the few that are ended.
package guard

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// Within does work on a goroutine of its own and returns what it returns. If ctx
// ends first and the work does not within a further grace, ended is false and err
// is ctx's cause. A panic of the work is one of the caller, with the work's trace.
func Within[T any](ctx context.Context, grace time.Duration, work func() (T, error)) (value T, ended bool, err error) {
	type result struct {
		value T
		err   error
		fault any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if fault := recover(); fault != nil {
				r.fault = fmt.Sprintf("%v\n%s", fault, debug.Stack())
			}
			done <- r
		}()
		r.value, r.err = work()
	}()
	var over <-chan time.Time
	stop := ctx.Done()
	for {
		select {
		case r := <-done:
			if r.fault != nil {
				panic(r.fault)
			}
			return r.value, true, r.err
		case <-stop:
			stop, over = nil, time.After(grace)
		case <-over:
			return value, false, context.Cause(ctx)
		}
	}
}
