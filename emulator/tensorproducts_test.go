package emulator

import (
	"hyptx/ir/isa"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestTensorProducts proves spellings of tcgen05.mma, .sp, .ws and .ws.sp: of forms that have
// hundreds every third; with HYPTX_HEAVY every one, and those of other forms several times.
func TestTensorProducts(t *testing.T) {
	for _, f := range isa.Forms() {
		switch f.Op {
		case isa.OpTcgen05Mma, isa.OpTcgen05MmaSp, isa.OpTcgen05MmaWs, isa.OpTcgen05MmaWsSp:
		default:
			continue
		}
		if Unsupported(f) != "" {
			continue
		}
		t.Run(strings.ReplaceAll(f.Syntax, " ", "_"), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(f.Index), 9))
			proven := 0
			spellings, products, step := spellingsOf(f), 2, 1
			switch heavy := os.Getenv("HYPTX_HEAVY") != ""; {
			case testing.Short():
				step = 40
			case heavy && len(spellings) <= 200: // of more the spellings are draws enough
				products = 4
			case len(spellings) > 200 && !heavy:
				products, step = 1, 3
			case len(spellings) > 200:
				products = 1
			}
			for i, x := range spellings {
				if i%step > 0 || !validScales(x) {
					continue
				}
				for range products {
					newProductCase(x, r).prove(t)
				}
				proven++
			}
			if proven == 0 {
				t.Error("no spelling leads to this row")
			}
		})
	}
}

// validScales reports whether a kind has scales of such a number (PTX ISA 9.7.18.10.7.1).
func validScales(x *isa.Inst) bool {
	switch {
	case !has(x, "block_scale"):
		return true
	case has(x, "kind::mxf8f6f4"):
		return !has(x, "scale_vec::2X") && !has(x, "scale_vec::4X") && !has(x, "block16")
	case has(x, "kind::mxf4"):
		return !has(x, "scale_vec::1X") && !has(x, "scale_vec::4X") && !has(x, "block16")
	}
	return has(x, "scale_vec::2X") || has(x, "scale_vec::4X") || has(x, "block16") || has(x, "block32")
}

func (c *productCase) prove(t *testing.T) {
	t.Helper()
	c.program.op = c.text()
	want := append([]uint32(nil), c.program.cells...)
	for i := range c.left {
		for k, code := range c.left[i][:c.k] {
			c.numbers[0][i][k] = c.number(c.a, code)
		}
		for k, code := range c.right[i] {
			c.numbers[1][i][k] = c.number(c.b, code)
		}
	}
	for i := range c.m {
		for j := range c.n {
			lane, column := c.place(i, j)
			if len(c.off) > 0 && c.off[lane/32]>>(lane%32)&1 != 0 {
				continue
			}
			at := lane*c.program.columns + column
			want[at] = c.want(i, j, want[at])
		}
	}
	got, _ := c.program.run(t)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s, M %d, N %d, %s x %s: lane %d, column %d is %#x, want %#x\n%s", c.x.Opcode, c.m, c.n, c.a, c.b,
				i/c.program.columns, i%c.program.columns, got[i], want[i], c.program.op)
		}
	}
}
