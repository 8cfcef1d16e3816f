package devicelib

import (
	"fmt"
	"slices"
	"strings"
)

// Declared is how a module declares a function that it does not define: the bytes of its
// parameters and of what it returns, 0 for nothing.
type Declared struct {
	Name   string
	Params []int
	Result int
}

// runtime are the functions of the device runtime that are no mathematics: the letters of
// their signatures, as libdevice's have them, and the body (CUDA C++ Programming Guide, Formatted Output,
// Assertion, Dynamic Global Memory Allocation).
var runtime = map[string]struct{ signature, body string }{
	"vprintf": {"ipp", "\tlibrary.print %r, [%a0], [%a1];\n"},
	// message, file, line, function, and the size of a char
	"__assertfail": {"vppipp", "\tlibrary.assert [%a0], [%a1], %a2, [%a3];\n"},
	"malloc":       {signature: "pp"},
	"free":         {signature: "vp"},
}

// Text returns the module that defines those of the functions that are known, "" if none
// is, for modules with addresses of so many bytes and a heap. A function that is
// declared otherwise than it is is an error.
func Text(functions []Declared, pointer int, heapBytes int64) (string, error) {
	var b strings.Builder
	heap := false
	for _, d := range functions {
		want, known := declaration(d.Name, pointer)
		if !known {
			continue
		}
		if !slices.Equal(want.Params, d.Params) && !narrowed(want.Params, d.Params) || want.Result != d.Result && !narrowed([]int{want.Result}, []int{d.Result}) {
			return "", fmt.Errorf("%s is declared with parameters of %v bytes and a result of %d; CUDA's has %v and %d", d.Name, d.Params, d.Result, want.Params, want.Result)
		}
		if Heap(d.Name) {
			heap = true
			continue
		}
		write(&b, d)
	}
	if heap {
		b.WriteString(heapText(pointer, heapBytes))
	}
	if b.Len() == 0 {
		return "", nil
	}
	return fmt.Sprintf(".version 8.0\n.target sm_90\n.address_size %d\n%s", 8*pointer, b.String()), nil
}

// Known reports whether a function is one of CUDA's that is written here.
func Known(name string) bool {
	_, known := declaration(name, 8)
	return known
}

// Heap reports whether a function is of the heap of blocks.
func Heap(name string) bool { return name == "malloc" || name == "free" }

// narrowed reports whether sizes differ where compilers widen what is narrower than 32
// bits, and nowhere else.
func narrowed(want, got []int) bool {
	return slices.EqualFunc(want, got, func(w, g int) bool { return w == g || w == 2 && g == 4 })
}

// declaration returns how CUDA declares a function, with addresses of so many bytes.
func declaration(name string, pointer int) (Declared, bool) {
	if r, ok := runtime[name]; ok {
		return declared(name, r.signature, pointer), true
	}
	if f, ok := functions()[name]; ok {
		return declared(name, f.signature, pointer), true
	}
	return Declared{}, false
}

// declared returns the sizes of a signature.
func declared(name, signature string, pointer int) Declared {
	bytes := func(letter byte) int {
		if letter == 'p' {
			return pointer
		}
		return sizes[letter]
	}
	d := Declared{Name: name, Result: bytes(signature[0])}
	for i := 1; i < len(signature); i++ {
		d.Params = append(d.Params, bytes(signature[i]))
	}
	return d
}

// write writes a function: it loads its parameters, does what it does, and returns.
func write(b *strings.Builder, d Declared) {
	result := ""
	if d.Result > 0 {
		result = fmt.Sprintf(" (.param .b%d result)", 8*d.Result)
	}
	fmt.Fprintf(b, ".visible .func%s %s(", result, d.Name)
	for i, n := range d.Params {
		fmt.Fprintf(b, "%s.param .b%d p%d", strings.Repeat(", ", min(i, 1)), 8*n, i)
	}
	b.WriteString(")\n{\n")
	for i, n := range d.Params {
		fmt.Fprintf(b, "\t.reg .b%d %%a%d;\n\tld.param.b%d %%a%d, [p%d];\n", 8*n, i, 8*n, i, i)
	}
	if d.Result > 0 {
		fmt.Fprintf(b, "\t.reg .b%d %%r;\n", 8*d.Result)
	}
	b.WriteString("\t.reg .b32 %t<4>;\n\t.reg .b64 %w<4>;\n\t.reg .b16 %h;\n\t.reg .pred %p<2>;\n")
	if r, ok := runtime[d.Name]; ok {
		b.WriteString(r.body)
	} else {
		b.WriteString(functions()[d.Name].body(d))
	}
	if d.Result > 0 {
		fmt.Fprintf(b, "\tst.param.b%d [result], %%r;\n", 8*d.Result)
	}
	b.WriteString("\tret;\n}\n")
}

// Refused returns why a function of CUDA's is not executed, "" for one of which nothing is
// known. Dynamic parallelism is the device runtime's (CUDA Dynamic Parallelism, Toolkit
// Support; libcudadevrt).
func Refused(name string) string {
	if strings.HasPrefix(name, "cuda") && len(name) > 4 && name[4] >= 'A' && name[4] <= 'Z' {
		return "a kernel that starts kernels, or asks CUDA's device runtime, is not executed by this version (dynamic parallelism)"
	}
	if strings.HasPrefix(name, "__nv_") {
		return "libdevice has no such function that this version knows"
	}
	return ""
}
