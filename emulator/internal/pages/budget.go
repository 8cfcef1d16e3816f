package pages

import (
	"fmt"
	"sync"
)

// LimitError says that a program needs more of something than it may have.
type LimitError struct {
	Limit  string // how much there may be, of what
	Option string // that sets the limit, "max-memory"
	Hint   string // what else may be the matter, or ""
}

func (e *LimitError) Error() string {
	s := fmt.Sprintf("more than %s needed: ", e.Limit)
	if e.Hint != "" {
		s += e.Hint + ", or "
	}
	return s + "the limit has to be raised with option " + e.Option
}

// Budget is how much memory the buffers of a program, and what counts accesses
// of them, may take together. It is safe for concurrent use.
type Budget struct {
	mu          sync.Mutex
	limit, used int64 // bytes
}

// NewBudget returns a budget of limit bytes, none of them used.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// Reserve accounts for so many more bytes, or, if bytes is negative, for their
// return.
func (b *Budget) Reserve(bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reserve(bytes)
}

func (b *Budget) reserve(bytes int64) error {
	if bytes > b.limit-b.used {
		limit := fmt.Sprintf("%d MiB of memory", b.limit>>20)
		if b.limit%(1<<20) != 0 {
			limit = fmt.Sprintf("%d B of memory", b.limit)
		}
		return &LimitError{Limit: limit, Option: "max-memory"}
	}
	b.used += bytes
	return nil
}
