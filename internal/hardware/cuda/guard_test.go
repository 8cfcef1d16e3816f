package cuda

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestGuard: work ends by itself, or is left behind soon after its context.
func TestGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := errors.New("its time is over")
		for _, test := range []struct {
			name          string
			work, returns time.Duration
			hangs         bool
		}{
			{"done in time", time.Second, time.Second, false},
			{"ends by itself after its time", 11 * time.Second, 11 * time.Second, false},
			{"hangs", time.Hour, 10*time.Second + GraceTime, true},
		} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, over)
			begin := time.Now()
			n, err := Guard(ctx, func() (int, error) { time.Sleep(test.work); return 7, nil })
			if took := time.Since(begin); took != test.returns || (n == 7) == test.hangs {
				t.Errorf("%s: %d after %s, want %s", test.name, n, took, test.returns)
			}
			if errors.Is(err, ErrHangs) != test.hangs || errors.Is(err, over) != test.hangs {
				t.Errorf("%s: %v", test.name, err)
			}
			cancel()
		}
		time.Sleep(2 * time.Hour) // the work that hangs
	})
}

// TestGuardFault: a fault of the work is one of its caller.
func TestGuardFault(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the fault is lost")
		}
	}()
	Guard(t.Context(), func() (int, error) { panic("BUG: here") })
}
