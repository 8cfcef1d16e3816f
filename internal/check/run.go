package check

import "slices"

// Run is a program that is checked: what is asked for, and what comes of it.
type Run struct {
	Groups Groups
	List   List
	// Launches is how many were checked, Again how many of them ran once more under the
	// happens-before detector.
	Launches, Again int
	// Kernels are those of the launches, each once for a program.
	Kernels []Kernel
	// Unchecked is what could not be checked.
	Unchecked []Unchecked
}

// Checked notes that a launch of a kernel was checked.
func (r *Run) Checked(kernel Kernel) {
	if r.Launches++; !slices.Contains(r.Kernels, kernel) {
		r.Kernels = append(r.Kernels, kernel)
	}
}

// Asks reports whether somebody wants to hear of a kind.
func (r *Run) Asks(k Kind) bool { return r.Groups.Has(k.Group()) }

// Looks reports whether accesses have to be looked at: for faults of memory alone the
// emulator's own checks are enough.
func (r *Run) Looks() bool { return r.Groups.Has(Init) || r.Groups.Has(Races) || r.Groups.Has(Sync) }
