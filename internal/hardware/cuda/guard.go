package cuda

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hyptx/internal/guard"
)

// ErrHangs: the driver did not come back from a call although the time was over
// or the user wanted to end. Errors that wrap it wrap the reason, too.
var ErrHangs = errors.New("the driver does not come back from a call")

// GraceTime is what work gets to end by itself when its context has ended, and
// to give back what it has. Tests shorten it.
var GraceTime = 2 * time.Second

// Guard does work that calls the driver, on a goroutine of its own, and waits
// for it. Nothing ends a call that hangs: a moment after ctx has ended Guard
// returns without the work, with an error that wraps [ErrHangs] and ctx's cause.
// The work then still has its thread, its context and what it was given, and the
// process should end soon.
func Guard[T any](ctx context.Context, work func() (T, error)) (T, error) {
	value, ended, err := guard.Within(ctx, GraceTime, work)
	if !ended {
		err = fmt.Errorf("%w: %w", err, ErrHangs)
	}
	return value, err
}
