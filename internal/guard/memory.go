package guard

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A program of which nobody knows what it needs may need more memory than there is,
// and the Go runtime then ends the process in the middle of whatever it does. So the
// whole process is watched, too: from the limit on the garbage collector works
// harder, and where that does not help the work is told to stop.

// thrifty is the memory from which on it is dearer than time: garbage then waits for
// half of what is alive to be made anew, not for all of it (thriftyPercent).
const (
	thrifty        = 1 << 30
	thriftyPercent = 50
)

// little is a heap, in units of the runtime's own first goal of 4 MiB, that is not worth
// a collection: a program that reads a text of 2 MB and ends would collect three times
// on its way there, a sixth of its time.
const little = 4

// Lazily puts the first collection of garbage off until the heap is larger than is
// usual, and lets those that follow come when they always do. A GOGC of the user's stays.
func Lazily() {
	if os.Getenv("GOGC") != "" {
		return
	}
	was := debug.SetGCPercent(little * 100)
	first := new([16]byte) // garbage that the first collection finds
	runtime.AddCleanup(first, func(was int) { debug.SetGCPercent(was) }, was)
}

// lookEvery is how often the memory is looked at: in that time a process may take
// some 100 MiB more.
const lookEvery = 20 * time.Millisecond

// Memory calls over once when the process has had more than limit bytes from the
// system and could not do with less. It looks until ctx ends.
func Memory(ctx context.Context, limit int64, over func()) {
	debug.SetMemoryLimit(limit)
	has := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for large := false; ; {
		metrics.Read(has)
		total := int64(has[0].Value.Uint64() - has[1].Value.Uint64())
		if total > limit+limit/16 {
			over()
			return
		}
		if !large && total > thrifty {
			large = true
			if was := debug.SetGCPercent(thriftyPercent); was < thriftyPercent {
				debug.SetGCPercent(was) // the user wants less, or none of it
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
