package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// samples is the folder of the shipped samples, found before any test changes
// the working directory.
var samples = func() string {
	p, err := filepath.Abs("../../ptx-samples")
	if err != nil {
		panic(err)
	}
	return p
}()

// result is what a command left behind.
type result struct {
	code        int
	out, errOut string
}

// hyptx runs a command in process.
func hyptx(args ...string) result { return hyptxIn("", args...) }

// runContext is run without signals.
func runContext(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newApp(stdin, stdout, stderr).execute(ctx, args)
}

// hyptxIn runs a command with a text on standard input.
func hyptxIn(stdin string, args ...string) result {
	var out, errOut bytes.Buffer
	code := runContext(context.Background(), args, strings.NewReader(stdin), &out, &errOut)
	return result{code, out.String(), errOut.String()}
}

// must fails the test unless the command ended with that exit code.
func (r result) must(t *testing.T, code int) result {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, want %d\nstdout: %.2000s\nstderr: %.2000s", r.code, code, r.out, r.errOut)
	}
	return r
}

// patient runs a command that a limit of time ends, until what it says on standard
// error matches a pattern: how long it takes to come to where the limit is to end it
// depends on the machine and on what else it does, so that the limit grows threefold,
// to more than a minute, where it came too early. LIMIT stands for the limit.
func patient(t *testing.T, pattern string, args ...string) result {
	t.Helper()
	for limit := 100 * time.Millisecond; ; limit *= 3 {
		replace := func(s string) string { return strings.ReplaceAll(s, "LIMIT", limit.String()) }
		var these []string
		for _, arg := range args {
			these = append(these, replace(arg))
		}
		r := hyptx(these...)
		if matched := regexp.MustCompile(replace(pattern)).MatchString(r.errOut); matched || limit > time.Minute {
			match(t, strings.Join(these, " "), r.errOut, replace(pattern))
			return r.must(t, exitInput)
		}
	}
}

// notes are what may stand on standard error before and after what failed.
const notes = `(hyptx: note: [^\n]*\n)*`

// interrupted runs a command in a context that ends, later and later, until it has
// written the file p.csv: then what was to be interrupted had begun.
func interrupted(t *testing.T, args ...string) (stderr string) {
	t.Helper()
	for wait := 200 * time.Millisecond; wait < 2*time.Minute; wait *= 3 {
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(wait, func() { cancel(errInterrupted) })
		var errOut bytes.Buffer
		if code := runContext(ctx, args, strings.NewReader(""), io.Discard, &errOut); code != exitInput {
			t.Fatalf("exit code %d: %s", code, errOut.String())
		}
		if !errors.Is(context.Cause(ctx), errInterrupted) {
			t.Fatal("ended before it was interrupted")
		}
		if _, err := os.Stat("p.csv"); err == nil && strings.Contains(errOut.String(), ": launch ") { // not between two
			return errOut.String()
		}
	}
	t.Fatal("nothing is complete after more than a minute")
	return ""
}

// match fails the test unless a text matches a pattern.
func match(t *testing.T, what, text, pattern string) {
	t.Helper()
	if !regexp.MustCompile(pattern).MatchString(text) {
		t.Errorf("%s does not match %s:\n%.2000s", what, pattern, text)
	}
}

// put writes a file into the working directory, which the test has changed to
// a temporary one.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read reads a file of the working directory.
func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// readCSV reads CSV as one map of columns for each row.
func readCSV(t *testing.T, text string) []map[string]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) == 0 {
		t.Fatal("no header")
	}
	var rows []map[string]string
	for _, rec := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = rec[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// header begins every module of these tests.
const header = ".version 7.0\n.target sm_70\n.address_size 64\n"

// kernel is a module with one kernel k; the body starts at line 7 of it.
func kernel(params, body string) string {
	return header + ".visible .entry k(" + params + ")\n{\n" +
		".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n" + body + "\nret;\n}\n"
}

// manifestOf is a manifest of one launch of k in k.ptx. launch replaces its
// grid, block and arguments.
func manifestOf(buffers, launch string) string {
	return `{"version": 1, "name": "net", "buffers": {` + buffers + `},
"launches": [{"module": "k.ptx", "kernel": "k", ` + launch + `}]}`
}

// tail is a vector add's guard: threads from n on leave at once.
const tail = "ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\n" +
	"mad.lo.u32 %r5, %r3, %r4, %r2;\nsetp.ge.u32 %p1, %r5, %r1;\n@%p1 bra E;\nadd.u32 %r6, %r5, 1;\nE:"
