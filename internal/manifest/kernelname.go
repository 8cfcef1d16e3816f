package manifest

import (
	"fmt"
	"strings"

	"hyptx/internal/strictjson"
)

// A manifest may call a kernel as its source does: nobody writes
// _ZN3net4convIfLi3EEEvPKfPf by hand. For that kernel, "void net::conv<float, 3>(float
// const*, float*)", these mean it if no other kernel of the module does:
//
//	net::conv<float,3>   its name, spaces aside, with or without its parameters
//	conv<float, 3>       without (outer) namespaces
//	conv                 without namespaces and template arguments
//
// An earlier rule wins over a later one: a kernel that is called conv is meant by
// conv although conv<float, 3> stands beside it.

// MatchKernel finds the kernel that a name means among those of its module:
// the exact PTX name, or else the one whose demangled name it is, with or
// without the parameter list, or else the only one that it names without
// (outer) namespaces, or else without template arguments, too. Spaces in C++
// names do not count. demangle returns a name as the
// source had it.
func MatchKernel(want string, kernels []string, demangle func(string) string) (int, error) {
	var found [3][]int // the kernels that it means, by the rules in this order
	wanted := withoutSpaces(want)
	for i, k := range kernels {
		if k == want {
			return i, nil
		}
		d := demangle(k)
		name := withoutParams(d)
		if wanted == withoutSpaces(d) || wanted == withoutSpaces(name) {
			found[0] = append(found[0], i)
		}
		if isTail(withoutSpaces(name), wanted) {
			found[1] = append(found[1], i)
		}
		if d != k && baseName(name) == want {
			found[2] = append(found[2], i)
		}
	}
	for _, list := range found {
		if len(list) == 1 {
			return list[0], nil
		}
		if len(list) > 1 {
			var names []string
			for _, i := range list {
				names = append(names, kernels[i])
			}
			return -1, fmt.Errorf("%s may be %s; give the PTX name", strictjson.Quoted(want), listNames(names))
		}
	}
	return -1, &NoKernelError{Want: want, Names: kernels}
}

// KernelNames are the names by which people know a kernel: the PTX name, and of a C++ name,
// without spaces, what MatchKernel takes: with the parameter list and without it, and without
// namespaces and template arguments.
func KernelNames(kernel string, demangle func(string) string) []string {
	d := demangle(kernel)
	if d == kernel {
		return []string{kernel}
	}
	name := withoutParams(d)
	return []string{kernel, withoutSpaces(d), withoutSpaces(name), baseName(name)}
}

// NoKernelError says that a name means none of a module's kernels.
type NoKernelError struct {
	Want  string
	Names []string // of the kernels that there are
	// Chosen: it is no launch of the program that wants it, but option kernel.
	Chosen bool
}

func (e *NoKernelError) Error() string {
	there := "there are"
	if len(e.Names) == 1 {
		there = "there is"
	}
	return fmt.Sprintf("there is no kernel %s; %s %s", strictjson.Quoted(e.Want), there, listNames(e.Names))
}

func withoutSpaces(s string) string { return strings.ReplaceAll(s, " ", "") }

// isTail reports whether name is tail behind some namespaces; a tail that is
// only a base name is none, it may mean templates, too.
func isTail(name, tail string) bool {
	outer, ok := strings.CutSuffix(name, "::"+tail)
	return ok && strings.ContainsAny(tail, "<:") && strings.Count(outer, "<") == strings.Count(outer, ">")
}

// baseName cuts "ns::f<int>" down to "f".
func baseName(name string) string {
	depth, start, end := 0, 0, len(name)
	for i := range len(name) {
		switch c := name[i]; {
		case c == '<':
			if depth == 0 {
				end = i
			}
			depth++
		case c == '>':
			depth--
		case c == ':' && depth == 0:
			start, end = i+1, len(name)
		}
	}
	return name[start:end]
}

// withoutParams cuts "void f<int>(float*)" down to "f<int>".
func withoutParams(d string) string {
	depth := 0
	start := 0
	for i := range len(d) {
		switch c := d[i]; {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth > 0:
		case c == '(' && !strings.HasPrefix(d[i:], "(anonymous namespace)"):
			return d[start:i]
		case c == ' ' && !strings.HasSuffix(d[:i], "(anonymous"):
			start = i + 1 // the return type of a template
		}
	}
	return d[start:]
}

// listNames writes names for a message, at a bearable number.
func listNames(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
