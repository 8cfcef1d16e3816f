package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestReadmeTable: the table that README shows is the one that the program
// prints, and no line of README is longer than 120 columns.
func TestReadmeTable(t *testing.T) {
	t.Setenv("COLUMNS", "")
	root := filepath.Dir(samples)
	readme := read(t, filepath.Join(root, "README.md"))
	for line := range strings.Lines(readme) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 120 {
			t.Errorf("README: %d columns: %s", n, line)
		}
	}
	_, after, ok := strings.Cut(readme, "    $ ./hyptx profile examples/vector_add.json\n")
	if !ok {
		t.Fatal("README shows no table")
	}
	shown, _, _ := strings.Cut(after, "\n\n")
	shown = regexp.MustCompile(`(?m)^    `).ReplaceAllString(shown, "")
	if got := hyptx("profile", filepath.Join(root, "examples", "vector_add.json")).must(t, exitDone).out; strings.TrimSpace(got) != strings.TrimSpace(shown) {
		t.Errorf("the program prints\n%s\nREADME shows\n%s", got, shown)
	}
}

// TestReadmeGo: the Go program that README shows runs.
func TestReadmeGo(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	root := filepath.Dir(samples)
	_, after, ok := strings.Cut(read(t, filepath.Join(root, "README.md")), "\n    package main\n")
	if !ok {
		t.Fatal("README shows no program")
	}
	shown, _, _ := strings.Cut(after, "\n\n`")
	file := filepath.Join(t.TempDir(), "main.go")
	put(t, file, "package main\n"+regexp.MustCompile(`(?m)^    `).ReplaceAllString(shown, "")+"\n")
	run := exec.Command(goTool, "run", file)
	run.Dir = root
	if out, err := run.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "vector_add 0 162 exact\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestReadmeCommands: every command of hyptx that README shows runs as it stands, in a
// folder with what the repository has and nothing else, one after the other.
func TestReadmeCommands(t *testing.T) {
	root := filepath.Dir(samples)
	readme := read(t, filepath.Join(root, "README.md"))
	commands := regexp.MustCompile("(?m)(?:`|^    .*)(?:\\./)?hyptx ([a-z][^`\n]*)`?").FindAllStringSubmatch(readme, -1)
	if len(commands) < 15 {
		t.Fatalf("README shows %d commands", len(commands))
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"ptx-samples", "examples"} {
		if err := os.Symlink(filepath.Join(root, name), name); err != nil {
			t.Skip(err)
		}
	}
	for _, c := range commands {
		if testing.Short() && strings.Contains(c[1], "resnet50") {
			continue
		}
		if r := hyptx(strings.Fields(c[1])...); r.code != exitDone {
			t.Errorf("hyptx %s: exit code %d\n%.2000s", c[1], r.code, r.errOut)
		}
	}
}
