package guard

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// What is kept beyond the limit ends the work; garbage does not.
func TestMemory(t *testing.T) {
	defer debug.SetMemoryLimit(math.MaxInt64)
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	limit := int64(now.Sys) + 64<<20
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan bool)
	go func() {
		over := false
		Memory(ctx, limit, func() { over = true })
		ended <- over
	}()
	for range 64 {
		work(16 << 20)
	}
	cancel()
	if <-ended {
		t.Error("garbage ended the work")
	}
	over := make(chan bool)
	go Memory(t.Context(), limit, func() { close(over) })
	var kept [][]byte
	for len(kept) < 1<<10 {
		select {
		case <-over:
			return
		default:
			kept = append(kept, work(16<<20))
		}
	}
	t.Errorf("%d MiB are kept", len(kept)*16)
}

// work makes some bytes and touches them.
func work(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 1
	}
	return b
}
