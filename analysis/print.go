package analysis

import (
	"cmp"
	"fmt"
)

// Limits of CUDA's (CUDA Runtime API, cudaDeviceSetLimit): cudaLimitStackSize of a thread,
// and cudaLimitPrintfFifoSize, 1 MB.
const (
	defaultStackBytes = 1024
	defaultPrintBytes = 1 << 20
)

// print hands on what a launch has printed.
func (s *Session) print(text []byte, lost bool) {
	w := s.Options.Print
	if w == nil {
		return
	}
	_, _ = w.Write(text)
	if lost {
		fmt.Fprintf(w, "\n(more was printed than %d bytes: limits.printfBytes)\n", cmp.Or(s.Manifest.Limits.PrintfBytes, defaultPrintBytes))
	}
}
