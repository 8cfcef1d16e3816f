package hyptx_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/accelwattch"
	"hyptx/internal/beside"
	"hyptx/internal/columns"
	"hyptx/internal/hypa"
	"hyptx/internal/papers"
	"hyptx/internal/pathlist"
	"hyptx/internal/roofline"
	"hyptx/internal/scalemodel"
	"hyptx/internal/silicon"
	"hyptx/internal/st2"
	"hyptx/internal/thesis"
	"hyptx/power"
)

var update = flag.Bool("update", false, "write docs/columns.md again")

// files are the CSV files and their rows' types.
var files = map[string]any{
	"profile":         analysis.Row{},
	"by-kernel":       analysis.KernelRow{},
	"per-cta":         analysis.CTARow{},
	"per-instruction": analysis.InstrRow{},
	"loops":           analysis.LoopRow{},
	"races":           analysis.RaceRow{},
	"path-lists":      pathlist.Row{},
	"stalls":          analysis.StallRow{},
	"roofline":        roofline.Row{},
	"power":           power.Row{},
	"power-clocks":    power.SweepRow{},
	"power-hot":       power.HotRow{},
	"power-classes":   power.ClassRow{},
	"over-time":       power.OverTimeRow{},
	"silicon":         silicon.Row{},
	"beside":          beside.Row{},

	"scalemodel-predict":   scalemodel.Row{},
	"scalemodel-errors":    scalemodel.SuiteRow{},
	"scalemodel-speedup":   scalemodel.SpeedupRow{},
	"scalemodel-config":    scalemodel.Shared{},
	"scalemodel-mrc":       scalemodel.CurveRow{},
	"st2-designs":          st2.DesignRow{},
	"st2-energy":           st2.EnergyRow{},
	"st2-perf":             st2.PerfRow{},
	"st2-pc":               st2.PCRow{},
	"st2-mix":              st2.MixRow{},
	"st2-values":           st2.ValueRow{},
	"papers":               papers.Row{},
	"accelwattch-kernels":  accelwattch.KernelRow{},
	"accelwattch-relative": accelwattch.RelativeRow{},
	"accelwattch-lanes":    accelwattch.LaneRow{},
	"accelwattch-shares":   accelwattch.ShareRow{},
	"thesis-kernels":       thesis.KernelRow{},
	"thesis-times":         thesis.TimeRow{},
	"thesis-mixbench":      thesis.MixbenchRow{},
	"thesis-memory":        thesis.MemoryRow{},
	"hypa":                 hypa.Row{},
	"hypa-files":           hypa.FileRow{},
	"scalemodel-chiplet":   scalemodel.ChipletRow{},
	"scalemodel-sample":    scalemodel.StratumRow{},
	"scalemodel-sweep":     scalemodel.SweepRow{},
}

// TestColumns holds docs/columns.md against the tags of the rows' types, from
// which the tables between its marks are made.
func TestColumns(t *testing.T) {
	const path = "docs/columns.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	mark := regexp.MustCompile(`(?s)(<!-- columns of ([a-z0-9-]+) -->\n).*?(<!-- end -->\n)`)
	made := mark.ReplaceAllStringFunc(string(text), func(found string) string {
		m := mark.FindStringSubmatch(found)
		row, ok := files[m[2]]
		if !ok {
			t.Errorf("%s: there is no file %s", path, m[2])
		}
		seen[m[2]] = true
		return m[1] + columnTable(row) + m[3]
	})
	for name, row := range files {
		if !seen[name] {
			t.Errorf("%s has no table for %s", path, name)
		}
		for _, c := range columns.Of(row) {
			if strings.TrimSpace(c.Doc) == "" {
				t.Errorf("%s: column %s has no doc tag", name, c.Name)
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if made != string(text) {
		t.Errorf("%s is not what the rows' types say; go test . -run Columns -update writes it", path)
	}
}

// columnTable returns a table in Markdown of the columns: one line for those that
// share a description.
func columnTable(row any) string {
	var b strings.Builder
	b.WriteString("| column | meaning |\n|---|---|\n")
	cs := columns.Of(row)
	for i := 0; i < len(cs); {
		names := []string{cs[i].Name}
		doc := cs[i].Doc
		for i++; i < len(cs) && cs[i].Joined; i++ {
			names = append(names, cs[i].Name)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names, ", "), doc)
	}
	return b.String()
}

// TestDesignSize: the design is a page that people read to its end.
func TestDesignSize(t *testing.T) {
	text, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	if limit := 15 << 10; len(text) > limit {
		t.Errorf("docs/design.md has %d bytes, more than %d: what is detail belongs to the package comments", len(text), limit)
	}
}
