package guard

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
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

// The first collection is put off and the second comes as ever, unless the user says when.
func TestLazily(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t.Setenv("GOGC", "100")
	if Lazily(); percent() != 100 {
		t.Errorf("GOGC=100 became %d", percent())
	}
	t.Setenv("GOGC", "")
	if Lazily(); percent() != little*100 {
		t.Errorf("before the first collection %d", percent())
	}
	runtime.GC()
	for range 1000 {
		if percent() == 100 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("behind the first collection %d", percent())
}

// percent is how much garbage there may be before a collection.
func percent() uint64 {
	now := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(now)
	return now[0].Value.Uint64()
}
