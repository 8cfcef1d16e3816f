package sass_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"hyptx/internal/hardware/sass"
	"hyptx/internal/machine"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
	"hyptx/ptx-samples/features"
)

// estimates returns how many machine instructions package machine expects of
// each opcode of a feature program on an architecture, together. It is an
// error if the program is not for it.
func estimates(s *features.Sample, arch string) (map[string]float64, error) {
	target, err := isa.ParseTarget([]string{arch})
	if err != nil {
		return nil, err
	}
	text, _ := sass.Retarget(s.Program(), sass.Compiler{Target: target, PTX: 904})
	src, err := parser.Parse(s.File(), text)
	if err != nil {
		return nil, err
	}
	mod, err := ir.Lower(src)
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for i := range mod.Instrs {
		out[mod.Instrs[i].Inst.Opcode] += 0
	}
	for _, f := range mod.Funcs {
		if f.First == f.End {
			continue
		}
		code, err := machine.New(context.Background(), ssa.Build(f), nil, mod.Target.SM)
		if err != nil {
			return nil, err
		}
		for _, c := range code.Charges {
			out[mod.Instrs[c.Issue].Inst.Opcode] += float64(c.Num) / float64(c.IssueDen)
		}
	}
	return out, nil
}

// TestEstimates: what package machine expects, by its own table.
func TestEstimates(t *testing.T) {
	all, err := features.All()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"add.rn.f32": 1, "add.rz.f32": 1, "st.global.f32": 4}
	for _, s := range all {
		if s.Name != "add_f32" {
			continue
		}
		got, err := estimates(s, "sm_90a")
		if err != nil {
			t.Fatal(err)
		}
		for opcode, n := range want {
			if got[opcode] != n {
				t.Errorf("%s: %g machine instructions, want %g (of %v)", opcode, got[opcode], n, got)
			}
		}
	}
}

// TestCommittedSASS reports where package machine expects another number of
// machine instructions than ptxas makes of the form (-v prints the table). It
// fails for nothing but an unreadable table: ptxas ascribes what it folds to
// other instructions than we do, so that single rows are no proof; a form whose
// row is wrong for every architecture is one to look at.
func TestCommittedSASS(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "golden", "*", "sass.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skip("testdata/golden has no table of SASS yet: `hyptx judge --only sass` makes one where CUDA's tools are installed")
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		table, err := sass.ReadTable(path, text)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s\n%s", path, strings.Join(table.Source, "; "), differences(t, table))
	}
}

// differences lists the rows that are apart, the farthest first.
func differences(t *testing.T, table *sass.Table) string {
	t.Helper()
	all, err := features.All()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*features.Sample{}
	for _, s := range all {
		byName["features/"+s.Name] = s
	}
	type apart struct {
		by   float64 // machine instructions for each PTX instruction
		text string
	}
	var list []apart
	equal, refused := 0, 0
	for _, r := range table.Rows {
		s := byName[r.Program]
		if r.Kind != "form" || s == nil {
			continue
		}
		ours, err := estimates(s, r.Arch)
		n, known := ours[r.PTX]
		if r.Refused != "" || err != nil || !known || r.Count == 0 {
			refused++
			continue
		}
		by := (n - float64(r.Machine)) / float64(r.Count)
		if math.Abs(by) < 0.5 {
			equal++
			continue
		}
		sassText, _ := r.SASS.MarshalCSV()
		list = append(list, apart{by, fmt.Sprintf("%s\t%s\t%d\t%d\t%.0f\t%s", r.Arch, r.PTX, r.Count, r.Machine, n, sassText)})
	}
	slices.SortStableFunc(list, func(a, b apart) int { return cmp.Compare(math.Abs(b.by), math.Abs(a.by)) })
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows agree within half an instruction, %d do not, %d have no number\n", equal, len(list), refused)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "arch\tPTX\tinstructions\tptxas\texpected\tSASS")
	for _, a := range list {
		fmt.Fprintln(w, a.text)
	}
	w.Flush()
	return b.String()
}

// TestDifferences: a table with one row that is right and one that is not.
func TestDifferences(t *testing.T) {
	row := func(ptx string, count, machine int) *sass.Row {
		return &sass.Row{Kind: "form", Program: "features/add_f32", Arch: "sm_90a", PTX: ptx, Count: count, Machine: machine, SASS: sass.Opcodes{"X": machine}}
	}
	text := differences(t, &sass.Table{Rows: []*sass.Row{row("add.rn.f32", 1, 1), row("add.rz.f32", 1, 7), row("add.rq.f32", 1, 1)}})
	if !strings.Contains(text, "1 rows agree within half an instruction, 1 do not, 1 have no number") || !strings.Contains(text, "add.rz.f32  1             7      1         X:7") {
		t.Error(text)
	}
}
