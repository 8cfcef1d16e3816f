package gpu

import (
	"fmt"
	"strconv"
	"strings"
)

// Fact is a value with the document that states it. A nil Fact is unknown, so that
// to forget the question is a panic in a test and not a latency of 0 cycles in
// somebody's result; [Need] asks it with an error that says what to do.
type Fact[T any] struct {
	Value  T      `json:"value"`
	Source string `json:"source"`
}

// The kinds of facts of a GPU's file.
type (
	Int   = Fact[int]
	Float = Fact[float64]
	Text  = Fact[string]
	Bool  = Fact[bool]
	Ints  = Fact[[]int]
)

// Known reports whether the value is known. f may be nil.
func (f *Fact[T]) Known() bool { return f != nil }

// text writes the value for a table; unknown values are "unknown".
func (f *Fact[T]) text() string {
	if f == nil {
		return "unknown"
	}
	switch v := any(f.Value).(type) {
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []int:
		return strings.Trim(fmt.Sprint(v), "[]")
	default:
		return fmt.Sprint(v)
	}
}

func (f *Fact[T]) source() string {
	if f == nil {
		return ""
	}
	return f.Source
}

// UnknownError says that something needs a number of which no document is
// known. A file of the user can give it.
type UnknownError struct {
	GPU  string // the GPU's name
	Path string // the field, as in the GPU's file: "latency.dram_cycles"
	File string // the user's file that the GPU was read from, or ""
}

// Unknown returns the error that a field of the GPU is unknown, or several.
func (g *GPU) Unknown(path string) *UnknownError { return &UnknownError{g.Name, path, g.File} }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("GPU %s: %s is unknown (null or nothing in its file); %s", e.GPU, e.Path, e.Hint())
}

// Hint says how the user can give the number.
func (e *UnknownError) Hint() string {
	if e.File != "" {
		return fmt.Sprintf(`in %s, {"value": ..., "source": "..."} instead of null gives it`, e.File)
	}
	return fmt.Sprintf("`hyptx gpus %s --json` prints a file to fill in", e.GPU)
}

// Need returns a fact's value, or an [UnknownError] that names the field by its
// path in the GPU's file.
func Need[T any](g *GPU, path string, f *Fact[T]) (T, error) {
	if f == nil {
		var none T
		return none, g.Unknown(path)
	}
	return f.Value, nil
}

// needed is a number that a calculation cannot do without, and where it goes.
type needed struct {
	to   *int
	path string
	fact *Int
}

// needAll fills in numbers; the first that is unknown is the error.
func (g *GPU) needAll(list []needed) error {
	for _, n := range list {
		v, err := Need(g, n.path, n.fact)
		if err != nil {
			return err
		}
		*n.to = v
	}
	return nil
}
