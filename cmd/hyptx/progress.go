package main

import (
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"hyptx/analysis"
)

// The bar is for people: it appears on a terminal only, once a part has taken a
// second, and leaves nothing behind. The library calls Start and Done from its
// own goroutines, while notes are written and signals come in on others, so the
// bar has a lock, and whoever writes to standard error clears it first: half a
// bar before an error, or after the shell's prompt, looks like a run that goes
// on.

// bar shows the progress of a run: in the middle of a launch, too, if that is
// what takes so long.
type bar struct {
	mu    sync.Mutex
	begin time.Time
	name  string
	ctas  int64
	shown *progressbar.ProgressBar
	out   io.Writer
	ended bool // what the library still tells is not shown
}

// progress returns the progress bar, or nil when standard error is no terminal
// or nobody wants one.
func (a *app) progress() analysis.Progress {
	if a.quiet || !isTerminal(a.stderr) {
		return nil
	}
	a.bar.begin = time.Now()
	return &a.bar
}

func (b *bar) Start(name string, ctas int64) {
	b.clear()
	b.name, b.ctas = oneLine(name), ctas
	b.Done(0)
}

func (b *bar) Done(ctas int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shown == nil && !b.ended && time.Since(b.begin) >= time.Second {
		b.shown = progressbar.NewOptions64(b.ctas, progressbar.OptionSetWriter(b.out), progressbar.OptionSetDescription(b.name),
			progressbar.OptionShowCount(), progressbar.OptionSetItsString("CTA"), progressbar.OptionClearOnFinish())
	}
	if b.shown != nil {
		b.shown.Set64(ctas)
	}
}

// clear takes the bar off the terminal; what is told next shows it again.
func (b *bar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shown != nil {
		b.shown.Clear()
		b.shown = nil
	}
}

// end takes the bar off for good.
func (b *bar) end() {
	b.clear()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
}
