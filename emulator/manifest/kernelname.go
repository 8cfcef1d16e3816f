package manifest

import (
	"fmt"
	"strings"
)

// MatchKernel finds the kernel that a launch names among those of its module:
// the exact PTX name or else an unambiguous demangled one, with or without its
// parameter list. demangle returns a name as the source had it.
func MatchKernel(want string, kernels []string, demangle func(string) string) (int, error) {
	var found []int
	for i, k := range kernels {
		if k == want {
			return i, nil
		}
		if d := demangle(k); d == want || withoutParams(d) == want {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return -1, fmt.Errorf("there is no kernel %s; there are %s", quoted(want), listNames(kernels))
	}
	var names []string
	for _, i := range found {
		names = append(names, kernels[i])
	}
	return -1, fmt.Errorf("%s may be %s; give the PTX name", quoted(want), listNames(names))
}

// withoutParams cuts "void f<int>(float*)" down to "f<int>".
func withoutParams(d string) string {
	depth := 0
	start, end := 0, len(d)
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
	return d[start:end]
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
