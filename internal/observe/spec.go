package observe

import (
	"fmt"
	"strconv"
	"strings"
)

// Index is an index along up to three axes, or a linear one.
type Index struct {
	At     [3]int64
	Linear bool
}

// parseIndex reads "17" (linear), "3,0" or "3,0,0".
func parseIndex(s, what string) (x Index, err error) {
	parts := strings.Split(s, ",")
	if len(parts) > 3 {
		return x, fmt.Errorf("%s %q: must be a number, or up to three with commas, as 3,0,0", what, s)
	}
	for i, p := range parts {
		n, err := strconv.ParseInt(strings.TrimSpace(p), 10, 64)
		if err != nil || n < 0 {
			return x, fmt.Errorf("%s %q: must be a number, or up to three with commas, as 3,0,0", what, s)
		}
		x.At[i] = n
	}
	x.Linear = len(parts) == 1
	return x, nil
}

// In returns the linear index within extents; ok is false if it lies outside.
func (x Index) In(extent [3]uint32) (linear int64, ok bool) {
	n := [3]int64{int64(extent[0]), int64(extent[1]), int64(extent[2])}
	if x.Linear {
		return x.At[0], x.At[0] < n[0]*n[1]*n[2]
	}
	return x.At[0] + n[0]*(x.At[1]+n[1]*x.At[2]), x.At[0] < n[0] && x.At[1] < n[1] && x.At[2] < n[2]
}

// ThreadSpec names a thread of a kernel, KERNEL:CTA:THREAD, in all of its launches, or in
// some, KERNEL@LAUNCHES:CTA:THREAD.
type ThreadSpec struct {
	Text             string // as it was written
	Kernel, Launches string
	CTA, Thread      Index
}

// ParseThread reads one. The kernel may be a C++ name, with colons.
func ParseThread(s string) (t ThreadSpec, err error) {
	rest, thread, ok := cutLast(s, ":")
	kernel, cta, ok2 := cutLast(rest, ":")
	if !ok || !ok2 || kernel == "" {
		return t, fmt.Errorf("must be KERNEL:CTA:THREAD, as gemm:3,0,0:17 or gemm@2:0:5")
	}
	t.Text = s
	if t.CTA, err = parseIndex(cta, "the CTA"); err != nil {
		return t, err
	}
	if t.Thread, err = parseIndex(thread, "the thread"); err != nil {
		return t, err
	}
	t.Kernel = kernel
	if name, launches, ok := cutLast(kernel, "@"); ok {
		if t.Kernel, t.Launches = name, launches; name == "" || launches == "" {
			return t, fmt.Errorf("%q: must be KERNEL@LAUNCH, as gemm@2 or gemm@0-3", kernel)
		}
	}
	return t, nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// MostWatched is how many elements a range may have that is watched.
const MostWatched = 4096

// ElementSpec names elements of a buffer or a variable: NAME, NAME[i] or NAME[i:j], where
// the last is not meant.
type ElementSpec struct {
	Text, Name string
	// From and To are elements; all if Whole.
	From, To int64
	Whole    bool
}

// ParseElements reads one.
func ParseElements(s string) (e ElementSpec, err error) {
	e.Text = s
	name, index, ok := cutLast(s, "[")
	if e.Name = name; name == "" {
		return e, fmt.Errorf("must be BUFFER[i] or BUFFER[i:j]")
	}
	if !ok {
		e.Whole = true
		return e, nil
	}
	from, to, isRange := strings.Cut(strings.TrimSuffix(index, "]"), ":")
	e.From, err = strconv.ParseInt(strings.TrimSpace(from), 10, 64)
	if e.To = e.From + 1; isRange && err == nil {
		e.To, err = strconv.ParseInt(strings.TrimSpace(to), 10, 64)
	}
	switch {
	case err != nil || !strings.HasSuffix(index, "]") || e.From < 0:
		return e, fmt.Errorf("must be BUFFER[i] or BUFFER[i:j], with numbers from 0")
	case e.To <= e.From:
		return e, fmt.Errorf("the range [%d:%d] is empty", e.From, e.To)
	case e.To-e.From > MostWatched:
		return e, fmt.Errorf("%d elements; at most %d are watched", e.To-e.From, MostWatched)
	}
	return e, nil
}

// Request is what somebody wants to be told of a program that is run.
type Request struct {
	Threads  []ThreadSpec
	Elements []ElementSpec
	FirstNaN bool
	Log      *Log
}
