package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// New writes a manifest to fill in: one launch of each kernel, with a buffer for
// each pointer. PTX says which parameters there are, not what they mean, so that
// grids, sizes and values are blanks (see [fillIn]), each with a word on what
// belongs there. Buffers and launches take a line each: that is where a program
// of fifty kernels is still read at a glance.
//
//	"buffers": {
//	  "a": {"bytes": "FILL IN: the size; init, too, if the contents matter"}
//	},
//	"launches": [
//	  {"label": "add", "module": "k.ptx", "kernel": "add", "grid": "FILL IN: ...", "block": [64, 1, 1], "args": {"a": {"buffer": "a"}}}
//	]
func New(name string, kernels []Kernel) string {
	var buffers, launches []string
	taken := map[string]bool{}
	for _, k := range kernels {
		var args []string
		for _, q := range k.Params {
			buffer := ""
			if q.Pointer {
				buffer = quoted(freeName(q.Name, taken))
				buffers = append(buffers, buffer+`: {"bytes": `+blankFor("the size; init, too, if the contents matter")+"}")
			}
			args = append(args, quoted(q.Name)+": {"+blankArg(q, buffer)+"}")
		}
		launches = append(launches, fmt.Sprintf(`{"label": %s, "module": %s, "kernel": %s, %s, "args": {%s}}`,
			quoted(k.Name), quoted(k.Module), quoted(k.Name), blankShape(k), strings.Join(args, ", ")))
	}
	text := "{\n  \"version\": 1,\n  \"name\": " + quoted(name) + ",\n"
	if buffers != nil {
		text += "  \"buffers\": {\n    " + strings.Join(buffers, ",\n    ") + "\n  },\n"
	}
	return text + "  \"launches\": [\n    " + strings.Join(launches, ",\n    ") + "\n  ]\n}\n"
}

// blankArg is a parameter's argument; buffer is the one that a pointer gets.
func blankArg(q Param, buffer string) string {
	switch t := scalarType(q); {
	case q.Object != 0:
		return quoted(objects[q.Object]) + ": " + blankFor("one of \"textures\", which describes it")
	case q.Pointer:
		return `"buffer": ` + buffer
	case q.Count > 0 || t == NoType:
		return fmt.Sprintf(`"bytes": %d, "hex": %s`, q.Bytes, blankFor(fmt.Sprintf("%d bytes in hexadecimal; or \"fields\" instead", q.Bytes)))
	default:
		return `"value": ` + blankFor(t.String())
	}
}

// blankShape is a kernel's grid, block, cluster and shared memory: what .reqntid
// and .reqnctapercluster fix is no blank.
func blankShape(k Kernel) string {
	shape := `"grid": ` + blankFor("CTAs in x, y, z, as [1024] or [32, 32]") + `, "block": `
	if k.ReqThreads == [3]int{} {
		shape += blankFor("threads of a CTA in x, y, z, as [256] or [16, 16]")
	} else {
		shape += dimList(k.ReqThreads)
	}
	if k.ReqCluster != [3]int{} {
		shape += `, "cluster": ` + dimList(k.ReqCluster)
	} else if k.ExplicitCluster {
		shape += `, "cluster": ` + blankFor("CTAs of a cluster in x, y, z, as [2] or [2, 2]")
	}
	if k.DynamicShared {
		shape += `, "dynamicSharedBytes": ` + blankFor("bytes of dynamic shared memory")
	}
	return shape
}

func dimList(d [3]int) string {
	d = fill(d)
	return fmt.Sprintf("[%d, %d, %d]", d[0], d[1], d[2])
}

func blankFor(what string) string { return quoted(fillIn + ": " + what) }

// freeName returns a name that no buffer has yet, and takes it: kernels of one
// program often call their parameters the same.
func freeName(name string, taken map[string]bool) string {
	free := name
	for i := 2; taken[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	taken[free] = true
	return free
}

// quoted writes a JSON string. Unlike json.Marshal it leaves <, > and & alone,
// which demangled names are full of.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("BUG: a string is always JSON: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
