package machine

import (
	"path/filepath"
	"testing"

	"hyptx/internal/ssa"
	"hyptx/ir"
)

// TestEverySample estimates every function of ptx-samples, with a launch and
// without: charges stay within the function and are positive.
func TestEverySample(t *testing.T) {
	files := eachFunction(t, filepath.Join("..", "..", "ptx-samples"), func(f *ir.Func) {
		checkCharges(t, f, nil)
		if f.Kernel {
			checkFold(t, f)
		}
		checkCharges(t, f, &Launch{NTID: [3]uint32{64, 1, 1}, NCTAID: [3]uint32{16, 2, 1}})
	})
	if files < 100 {
		t.Fatalf("%d samples", files)
	}
}

func checkCharges(t *testing.T, f *ir.Func, l *Launch) {
	t.Helper()
	c := codeOf(ssa.Build(f), l, f.Module.Target.SM)
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
