package main

import (
	"bytes"
	"testing"
	"time"
)

// TestLongLaunch: one launch that takes long has a bar, too, a short one none.
func TestLongLaunch(t *testing.T) {
	var out bytes.Buffer
	b := &bar{begin: time.Now(), out: &out}
	b.Start("quick", 10)
	b.Done(5)
	if out.Len() > 0 {
		t.Errorf("a bar at once: %q", out.String())
	}
	b.begin = b.begin.Add(-2 * time.Second) // as if the launch had taken so long
	b.Done(6)
	match(t, "bar", out.String(), `quick.*6/10`)
	b.Finish()
}
