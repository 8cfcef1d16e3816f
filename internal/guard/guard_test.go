package guard

import (
	"context"
	"errors"
	"testing"
	"time"
)

var errEnded = errors.New("ended")

// What the work returns comes back, also where it ends because its context did;
// work that does not look at its context is left behind.
func TestWithin(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	if n, ended, err := Within(ctx, 0, func() (int, error) { return 7, errEnded }); n != 7 || !ended || err != errEnded {
		t.Errorf("done work: %d, %v, %v", n, ended, err)
	}
	cancel(errEnded)
	polite := func() (int, error) { <-ctx.Done(); return 8, nil }
	if n, ended, err := Within(ctx, time.Minute, polite); n != 8 || !ended || err != nil {
		t.Errorf("work that ends by itself: %d, %v, %v", n, ended, err)
	}
	never := make(chan int)
	defer close(never)
	if _, ended, err := Within(ctx, time.Millisecond, func() (int, error) { return <-never, nil }); ended || err != errEnded {
		t.Errorf("work that does not end: %v, %v", ended, err)
	}
}

// A panic comes out where it can be reported.
func TestPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Within(t.Context(), 0, func() (int, error) { panic("BUG: planted") })
}
