package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"hyptx/analysis"
)

// The bar is for people: it appears on a terminal only, after a second, and
// leaves nothing behind when it ends.

// bar shows the progress of a run on a terminal, once it has taken a second:
// in the middle of a launch, too, if that is what takes so long.
type bar struct {
	begin time.Time
	name  string
	ctas  int64
	bar   *progressbar.ProgressBar
	out   io.Writer
}

// progress returns a progress bar, or nil when standard error is no terminal.
func (a *app) progress() analysis.Progress {
	f, ok := a.stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &bar{begin: time.Now(), out: f}
}

func (b *bar) Start(name string, ctas int64) {
	b.Finish()
	b.name, b.ctas = name, ctas
	b.Done(0)
}

func (b *bar) Done(ctas int64) {
	if b.bar == nil && time.Since(b.begin) >= time.Second {
		b.bar = progressbar.NewOptions64(b.ctas, progressbar.OptionSetWriter(b.out), progressbar.OptionSetDescription(b.name),
			progressbar.OptionShowCount(), progressbar.OptionSetItsString("CTA"), progressbar.OptionClearOnFinish())
	}
	if b.bar != nil {
		b.bar.Set64(ctas)
	}
}

func (b *bar) Finish() {
	if b.bar != nil {
		b.bar.Clear()
		b.bar = nil
	}
}
