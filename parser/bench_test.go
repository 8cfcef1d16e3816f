package parser

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// synthetic makes a module as compilers print them, of n kernels with 40
// loop-like groups of instructions each.
func synthetic(n int, loc bool) []byte {
	var b bytes.Buffer
	b.WriteString("//\n// made for a benchmark\n//\n.version 7.8\n.target sm_70\n.address_size 64\n")
	for k := range n {
		fmt.Fprintf(&b, "\n.visible .entry kernel_%d(\n\t.param .u64 kernel_%d_param_0,\n\t.param .u32 kernel_%d_param_1\n)\n.maxntid 128, 1, 1\n{\n", k, k, k)
		b.WriteString("\t.reg .pred \t%p<44>;\n\t.reg .b32 \t%r<444>;\n\t.reg .f32 \t%f<444>;\n\t.reg .b64 \t%rd<444>;\n\n")
		fmt.Fprintf(&b, "\tld.param.u64 \t%%rd1, [kernel_%d_param_0];\n\tmov.u32 \t%%r1, %%tid.x;\n", k)
		for g := range 40 {
			if loc {
				fmt.Fprintf(&b, "\t.loc\t1 %d 9\n", g+1)
			}
			fmt.Fprintf(&b, "$L__BB%d_%d:\n", k, g)
			fmt.Fprintf(&b, "\tmad.lo.s32 \t%%r%d, %%r1, 36, %%r%d;\n", g+2, g+1)
			fmt.Fprintf(&b, "\tmul.wide.s32 \t%%rd%d, %%r%d, 4;\n", g+2, g+2)
			if loc {
				fmt.Fprintf(&b, "\t.loc\t1 %d 21\n", g+1)
			}
			fmt.Fprintf(&b, "\tadd.s64 \t%%rd%d, %%rd1, %%rd%d;\n", g+50, g+2)
			fmt.Fprintf(&b, "\tld.global.nc.v2.f32 \t{%%f%d, %%f%d}, [%%rd%d+40];\n", g+1, g+2, g+50)
			fmt.Fprintf(&b, "\tfma.rn.f32 \t%%f%d, %%f%d, %%f%d, 0f3F800000;\n", g+3, g+1, g+2)
			fmt.Fprintf(&b, "\tsetp.lt.s32 \t%%p%d, %%r%d, 444;\n", g+1, g+2)
			fmt.Fprintf(&b, "\t@%%p%d bra \t$L__BB%d_%d;\n", g+1, k, g)
		}
		b.WriteString("\tret;\n}\n")
	}
	return b.Bytes()
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{1, 200} {
		for _, loc := range []bool{false, true} {
			src := synthetic(size, loc)
			b.Run(fmt.Sprintf("kernels=%d/loc=%v", size, loc), func(b *testing.B) { benchmark(b, [][]byte{src}) })
		}
	}
	b.Run("calls", func(b *testing.B) { benchmark(b, [][]byte{callModule(2000)}) })
	b.Run("table", func(b *testing.B) {
		src := ".version 7.0\n.global .b8 t[1000000] = {" + strings.Repeat("17, ", 999999) + "17};\n"
		benchmark(b, [][]byte{[]byte(src)})
	})
	b.Run("corpus", func(b *testing.B) {
		var files [][]byte
		for _, file := range corpus(b) {
			src, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			files = append(files, src)
		}
		benchmark(b, files)
	})
}

// callModule is a kernel of n calls, each in a scope with declarations.
func callModule(n int) []byte {
	call := "\t{\n\t.reg .b32 temp_param_reg;\n\t.param .b64 param0;\n\tst.param.b64 \t[param0+0], %rd1;\n\t.param .b32 retval0;\n" +
		"\tcall.uni (retval0), \n\tf, \n\t(\n\tparam0\n\t);\n\tld.param.b32 \t%r1, [retval0+0];\n\t}\n"
	return []byte(".version 7.0\n.target sm_70\n.entry k() {\n" + strings.Repeat(call, n) + "}\n")
}

func benchmark(b *testing.B, files [][]byte) {
	size := 0
	for _, src := range files {
		size += len(src)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range files {
			if _, err := Parse("bench.ptx", src); err != nil {
				b.Fatal(err)
			}
		}
	}
}
