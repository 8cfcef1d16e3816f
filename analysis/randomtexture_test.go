package analysis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomTextured is a program of a few kernels that read and write two buffers of 64
// words, each by any way there is to them: as memory, as a texture, as a surface, named by
// a parameter or by a variable. What they read decides branches and rounds of loops.
func randomTextured(seed uint64) program {
	r := rand.New(rand.NewPCG(seed, 61))
	var text, launches strings.Builder
	text.WriteString(".version 8.0\n.target sm_70\n.address_size 64\n.global .texref texA;\n.global .texref texB;\n.global .surfref surfA;\n.global .surfref surfB;\n")
	for k := range 2 + r.IntN(4) {
		fmt.Fprintf(&text, ".entry k%d(.param .u64 pA, .param .u64 pB, .param .u64 tA, .param .u64 tB, .param .u64 sA, .param .u64 sB)\n{\n", k)
		text.WriteString(".reg .b64 a, hA, hB, gA, gB, mA, mB; .reg .b32 i, v, x, y, z, n; .reg .pred p;\nld.param.u64 mA, [pA]; ld.param.u64 mB, [pB];\n" +
			"ld.param.u64 hA, [tA]; ld.param.u64 hB, [tB]; ld.param.u64 gA, [sA]; ld.param.u64 gB, [sB];\n" +
			"mov.u32 i, %ctaid.x; mov.u32 v, %ntid.x; mov.u32 x, %tid.x; mad.lo.u32 i, i, v, x; and.b32 i, i, 63; mov.u32 v, i;\n")
		for range 1 + r.IntN(4) {
			randomAccess(r, &text)
		}
		text.WriteString("ret;\n}\n")
		fmt.Fprintf(&launches, `, {"module": "k.ptx", "kernel": "k%d", "grid": [%d], "block": [%d], "args": [{"buffer": "A"}, {"buffer": "B"}, {"texture": "A"}, {"texture": "B"}, {"surface": "A"}, {"surface": "B"}]}`,
			k, 1+r.IntN(3), []int{1, 32, 64}[r.IntN(3)])
	}
	texture := func(name string) string {
		return fmt.Sprintf(`"%s": {"buffer": "%s", "kind": "1d", "format": "u32", "width": 64}`, name, name)
	}
	symbol := func(name, kind, of string) string {
		return fmt.Sprintf(`{"module": "k.ptx", "name": "%s", "%s": "%s"}`, name, kind, of)
	}
	return program{text.String(), `{"version": 1, "buffers": {"A": {"bytes": 256, "type": "u32", "init": {"iota": {"start": 3, "step": 5}}}, "B": {"bytes": 256, "init": "zero"}},
		"textures": {` + texture("A") + ", " + texture("B") + `}, "symbols": [` + symbol("texA", "texture", "A") + ", " + symbol("texB", "texture", "B") + ", " +
		symbol("surfA", "surface", "A") + ", " + symbol("surfB", "surface", "B") + `], "outputs": ["A", "B"], "launches": [` + launches.String()[2:] + "]}"}
}

// randomAccess adds a read, a write, a branch or a loop.
func randomAccess(r *rand.Rand, text *strings.Builder) {
	of := []string{"A", "B"}[r.IntN(2)]
	handle := []string{"h" + of, "tex" + of}[r.IntN(2)]
	surface := []string{"g" + of, "surf" + of}[r.IntN(2)]
	at := []string{"i", "v"}[r.IntN(2)]
	fmt.Fprintf(text, "and.b32 n, %s, 63; mul.wide.u32 a, n, 4; add.u64 a, a, m%s; shl.b32 z, n, 2;\n", at, of)
	lines := []string{
		"ld.global.u32 v, [a];\n",
		"tex.1d.v4.u32.s32 {v, x, y, _}, [" + handle + ", {n}];\n",
		"suld.b.1d.b32.trap v, [" + surface + ", {z}];\n",
		"st.global.u32 [a], v;\n",
		"sust.b.1d.b32.trap [" + surface + ", {z}], v;\n",
		"sust.p.1d.b32.trap [" + surface + ", {n}], v;\n",
		"sured.b.add.1d.u32.trap [" + surface + ", {z}], v;\n",
		"red.global.max.u32 [a], v;\n",
		fmt.Sprintf("and.b32 x, v, %d; setp.eq.u32 p, x, 0;\n@p add.u32 v, v, 7;\n@p sust.p.1d.b32.trap [%s, {n}], v;\n", 1+r.IntN(7), surface),
	}
	fmt.Fprint(text, lines[r.IntN(len(lines))])
	if r.IntN(3) == 0 {
		label := fmt.Sprintf("L%d", text.Len())
		fmt.Fprintf(text, "and.b32 x, v, 7;\n%s: add.u32 v, v, 1; setp.eq.u32 p, x, 0; sub.u32 x, x, 1;\n@!p bra %s;\n", label, label)
	}
}

// TestRandomTextures: control mode and full emulation count alike, whichever way memory is
// read and written.
func TestRandomTextures(t *testing.T) {
	for _, seed := range randomSeeds(1, 400, 60) {
		p := randomTextured(seed)
		for _, mode := range []Mode{Control, Memory} {
			s := p.session(t, mode)
			profile, err := s.Profile(context.Background())
			if err == nil {
				err = s.Verify(context.Background(), profile)
			}
			if err != nil {
				t.Fatalf("seed %d, mode %v: %v\n%s", seed, mode, err, numbered(p.ptx))
			}
		}
	}
}
