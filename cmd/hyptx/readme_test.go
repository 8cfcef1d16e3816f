package main

import (
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

// TestReadmeGo: the Go program that README shows compiles.
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
	vet := exec.Command(goTool, "vet", file)
	vet.Dir = root
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestReadmeCommands: the commands and flags that README names are there.
func TestReadmeCommands(t *testing.T) {
	readme := read(t, filepath.Join(filepath.Dir(samples), "README.md"))
	commands := regexp.MustCompile("`(?:\\./)?hyptx ([a-z][^`]*)`").FindAllStringSubmatch(readme, -1)
	if len(commands) < 10 {
		t.Fatalf("README names %d commands", len(commands))
	}
	for _, c := range commands {
		words := strings.Fields(c[1])
		name := words[:1]
		if (words[0] == "manifest" || words[0] == "power") && !strings.HasPrefix(words[1], "-") {
			name = words[:2]
		}
		help := hyptx(append(append([]string{}, name...), "--help")...).must(t, exitDone).out
		for _, w := range words[len(name):] {
			flag, isLong := strings.CutPrefix(w, "--")
			if isLong && !strings.Contains(help, "--"+flag) {
				t.Errorf("README: hyptx %s: there is no flag --%s", c[1], flag)
			}
		}
	}
}
