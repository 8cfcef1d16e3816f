package machine

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/parser"
)

// TestEverySample estimates every function of ptx-samples, with a launch and
// without: charges stay within the function and are positive.
func TestEverySample(t *testing.T) {
	root := filepath.Join("..", "..", "ptx-samples")
	files := 0
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".ptx") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		src, err := parser.Parse(path, text)
		if err != nil {
			return err
		}
		m, err := ir.Lower(src)
		if err != nil {
			return err
		}
		files++
		for _, f := range m.Funcs {
			if f.Defined && f.AliasOf == nil {
				checkCharges(t, f, nil)
				if f.Kernel {
					checkFold(t, f)
				}
				checkCharges(t, f, &Launch{NTID: [3]uint32{64, 1, 1}, NCTAID: [3]uint32{16, 2, 1}})
			}
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d samples, error %v", files, err)
	}
}

func checkCharges(t *testing.T, f *ir.Func, l *Launch) {
	t.Helper()
	c := New(ssa.Build(f), l, f.Module.Target.SM)
	for i, ch := range c.Charges {
		inside := ch.Issue >= f.First && ch.Issue < f.End && ch.Exec >= f.First && ch.Exec < f.End
		if !inside || ch.Num <= 0 || ch.IssueDen <= 0 || ch.ExecDen <= 0 || ch.Class == 0 {
			t.Errorf("%s %s: bad charge %+v", f.Module.File, f.Name, ch)
		}
		if i > 0 && ch == c.Charges[i-1] {
			t.Errorf("%s %s: charge %+v stands twice", f.Module.File, f.Name, ch)
		}
	}
}
