package observe

import (
	"bufio"
	"fmt"
	"io"
	"sync"
)

// Log is where the text goes, a line at a time, and no more lines of steps and writes
// than a limit: the run goes on without being told of.
//
// A run that is ended may leave work behind that still has something to say: it is not
// written.
type Log struct {
	mu    sync.Mutex
	ended bool
	w     *bufio.Writer
	left  int64
	most  int64
	lost  int64
	err   error
	// about is what the last lines were about (section).
	about string
}

// NewLog returns a log of at most so many steps and writes.
func NewLog(w io.Writer, most int64) *Log {
	return &Log{w: bufio.NewWriterSize(w, 1<<16), left: most, most: most}
}

// section writes a heading, unless it is the last one. It takes none of the limit.
func (l *Log) section(heading string) {
	if l.about == heading {
		return
	}
	if l.about = heading; heading != "" {
		l.say("%s", heading)
	}
}

// Event writes a line under a heading, "" for none, if the limit allows.
func (l *Log) Event(heading, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left <= 0 {
		l.lost++
		return
	}
	l.left--
	l.section(heading)
	l.say("%s", line)
}

// Say writes a line, whatever the limit.
func (l *Log) Say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.say(format, args...)
}

func (l *Log) say(format string, args ...any) {
	if l.ended {
		return
	}
	if _, err := fmt.Fprintf(l.w, format+"\n", args...); err != nil && l.err == nil {
		l.err = err
	}
}

// End says what was left out, writes what is held and returns the first error.
func (l *Log) End() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost > 0 {
		l.say("%d more steps and writes are left out: the limit, option max-events, is %d", l.lost, l.most)
	}
	l.ended = true
	if err := l.w.Flush(); err != nil && l.err == nil {
		l.err = err
	}
	return l.err
}
