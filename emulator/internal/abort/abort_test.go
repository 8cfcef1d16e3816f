package abort

import (
	"errors"
	"testing"
)

// caught calls f and returns what Catch makes of its end.
func caught(f func()) (err error) {
	defer Catch(&err)
	f()
	return nil
}

func TestCatch(t *testing.T) {
	want := errors.New("x")
	if got := caught(func() { Throw(want) }); got != want {
		t.Errorf("caught %v", got)
	}
	if got := caught(func() {}); got != nil {
		t.Errorf("nothing was thrown, and %v caught", got)
	}
}

// A panic that nobody threw is a bug, and none of the launch's errors.
func TestCatchLeavesBugs(t *testing.T) {
	defer func() {
		if r := recover(); r != "BUG: x" {
			t.Errorf("recovered %v", r)
		}
	}()
	err := caught(func() { panic("BUG: x") })
	t.Errorf("caught %v", err)
}
