package calibrate

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/gofrs/flock"
)

// lockEnding is that of the file beside a log that its writer holds locked.
const lockEnding = ".lock"

// ErrLocked: another process writes the log.
var ErrLocked = errors.New("another calibrate is writing this log")

// lock keeps other processes from a log. The system lets go of it when the
// process ends, however it does: a file that a crash leaves behind locks nothing.
func lock(path string) (*flock.Flock, error) {
	l := flock.New(path+lockEnding, flock.SetPermissions(0o644))
	held, err := l.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path+lockEnding, err)
	case !held:
		return nil, fmt.Errorf("%s: %w: two would disturb each other; wait for it, end it or choose another output", path, ErrLocked)
	}
	return l, nil
}

// Close lets another process write the log. The log can be read after it.
func (l *Log) Close() error {
	if l.lock == nil {
		return nil
	}
	path := l.lock.Path()
	if runtime.GOOS != "windows" { // there nothing that is open can be removed: an empty file stays
		os.Remove(path) // while it is held: after it, the file may be another's
	}
	err := l.lock.Close()
	l.lock = nil
	return err
}
