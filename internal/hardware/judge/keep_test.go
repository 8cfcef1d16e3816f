package judge

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSecondRun: a run that comes to less leaves what an earlier one has; what
// is better takes its place, and judge.json tells of all parts.
func TestSecondRun(t *testing.T) {
	c, log := config(t, "fault:features/trap_taken")
	c.Only = []string{"outputs", "calibration"}
	run := func(want string) {
		t.Helper()
		if err := Run(context.Background(), c); err != nil {
			t.Fatalf("%v\n%s", err, log)
		}
		if got, _ := statesOf(t, filepath.Join(c.Out, "test-gpu")); got != want {
			t.Errorf("%s, want %s\n%s", got, want, log)
		}
	}
	run("outputs:done calibration:done")
	path := filepath.Join(c.Out, "test-gpu", outputsFile)
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(role, "yes fault:features/trap_taken fault:features/add_f32")
	c.Version, c.Only = "later", []string{"outputs"}
	run("outputs:done calibration:done")
	if now, _ := os.ReadFile(path); !bytes.Equal(now, first) {
		t.Errorf("%d bytes became %d", len(first), len(now))
	}
	for _, want := range []string{"of an earlier run and stays; the", "outputs: an earlier run left it done, which stands"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	if _, err := os.Stat(path + aside); err != nil {
		t.Error(err)
	}
	t.Setenv(role, "yes")
	run("outputs:done calibration:done")
	if now, _ := os.ReadFile(path); !strings.Contains(string(now[:400]), `"later"`) {
		t.Errorf("the better file is not in its place: %s", now[:400])
	}
	if _, err := os.Stat(path + aside); err == nil {
		t.Error("the file beside it is still there")
	}
	if err := os.WriteFile(path, []byte("no golden\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "move the file away") {
		t.Errorf("%v", err)
	}
}

// TestPut: a table with fewer rows does not take the place of an earlier one.
func TestPut(t *testing.T) {
	j := &judge{dir: t.TempDir()}
	has := func(name, want string) {
		t.Helper()
		if text, _ := os.ReadFile(j.file(name)); string(text) != want {
			t.Errorf("%s holds %q, want %q", name, text, want)
		}
	}
	for _, x := range []struct{ text, stands, beside string }{
		{"# one\na\nb\n", "# one\na\nb\n", ""},
		{"# two\n# three\nc\n", "# one\na\nb\n", "# two\n# three\nc\n"},
		{"c\nd\n", "c\nd\n", ""},
	} {
		j.wrote, j.kept = map[string]bool{}, map[string]string{}
		if err := j.put("sass", "s.tsv", []byte(x.text)); err != nil {
			t.Fatal(err)
		}
		has("s.tsv", x.stands)
		has("s.tsv"+aside, x.beside)
		if (j.kept["sass"] != "") != (x.beside != "") {
			t.Errorf("%q", j.kept)
		}
	}
}

// TestSlowGPU: a GPU that does not answer costs no more than the budget. The
// bound, a minute, only tells an end by the budget from one by the worker, which
// would come after an hour: it leaves a loaded machine time to start a process.
func TestSlowGPU(t *testing.T) {
	c, _ := config(t, "slow")
	c.Budget = 300 * time.Millisecond
	begin := time.Now()
	if err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "the GPU: no answer within the budget of 300ms") {
		t.Errorf("%v", err)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("it took %s", took)
	}
}
