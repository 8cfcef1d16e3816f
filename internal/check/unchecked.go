package check

import (
	"path/filepath"
	"slices"
	"strings"
)

// What could not be checked is no finding, and must not look as if nothing was found: a
// report that CI takes for green closes alerts.

// Unchecked is a launch, or a whole program, that could not be checked, or not to its end.
type Unchecked struct {
	// Program is the manifest or the PTX file as it was named.
	Program string `json:"program"`
	// Kernel and Launch say which launch; without a kernel it is the whole program.
	Kernel string `json:"kernel,omitempty"`
	Launch int    `json:"launch"`
	// Reason is the error.
	Reason string `json:"reason"`
}

// Kernel is one of those that were launched.
type Kernel struct {
	Program string `json:"program"`
	Name    string `json:"kernel"`
}

// class names a kernel as JUnit does a class: with its program in front, since several may
// have the same kernel.
func (k Kernel) class() string {
	program := strings.TrimSuffix(filepath.ToSlash(k.Program), ".gz")
	program = strings.TrimSuffix(program, filepath.Ext(program))
	if program == "" || k.Name == "" {
		return program + k.Name
	}
	return program + "." + k.Name
}

// kernel is the kernel of a finding.
func (f *Finding) kernel() Kernel { return Kernel{f.Program, f.Kernel} }

// kernel is the kernel of what was not checked; without a name if that is the whole program.
func (u *Unchecked) kernel() Kernel { return Kernel{u.Program, u.Kernel} }

// clean returns the kernels of which all launches were checked and nothing was found.
func (r *Report) clean() (list []Kernel) {
	for _, k := range r.Kernels {
		if !slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.kernel() == k }) &&
			!slices.ContainsFunc(r.Unchecked, func(u Unchecked) bool { return u.kernel() == k }) {
			list = append(list, k)
		}
	}
	return list
}
