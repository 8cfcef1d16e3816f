package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"hyptx/internal/guard"
)

// What --max-memory counts depends on the program alone, so that a run fails in the
// same place on every machine. Around it stands what nobody can count beforehand, the
// analysis of a text that somebody has made to be expensive: the process as a whole
// may have programMemory beside, and no more than the machine has. A run that needs
// more ends with a message, where Go would end it with a trace of all goroutines.

// programMemory is what the process may take beside --max-memory.
var programMemory int64 = 8 << 30

// withMemory ends a command's context when the process takes too much memory.
func (l *limitFlags) withMemory(ctx context.Context) context.Context {
	limit := min(int64(l.maxMemory)+programMemory, machineMemory("/proc/meminfo", "/sys/fs/cgroup/memory.max")/16*15)
	limited, cancel := context.WithCancelCause(ctx)
	go guard.Memory(limited, limit, func() {
		cancel(fmt.Errorf("more than %d MiB of memory needed by hyptx itself: the program is too large, or too entangled", limit>>20))
	})
	return limited
}

// machineMemory is how much memory there is for this process, as far as Linux says
// so; elsewhere more than anybody asks for.
func machineMemory(meminfo, cgroup string) int64 {
	memory := int64(1) << 50
	if text, err := os.ReadFile(meminfo); err == nil {
		if _, rest, ok := strings.Cut(string(text), "MemTotal:"); ok {
			var kib int64
			if n, _ := fmt.Sscan(rest, &kib); n == 1 {
				memory = kib << 10
			}
		}
	}
	if text, err := os.ReadFile(cgroup); err == nil {
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			memory = min(memory, n)
		}
	}
	return memory
}
