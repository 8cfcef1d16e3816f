package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
)

// Files appear whole or not at all. A file's contents are made in memory; then
// they go into a temporary file in the same folder, which takes the file's name
// in one step. So a run that fails or is killed leaves the old file or the new
// one, never a half, and what was complete when a run ended early is complete on
// disk, too. A link is followed to what it points to. Devices and pipes cannot
// be replaced and are written to.
//
// Before the work begins all outputs are checked, because an hour of emulation
// should not end with a typing error: each can be written, no two are one file,
// and none is a file that is read.

// write makes a file's contents in memory and writes them whole or not at all.
func (a *app) write(path string, fill func(io.Writer) error) error {
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return err
	}
	return a.writeFile(path, b.Bytes())
}

// writeFile writes a file that appears whole or not at all; "" and "-" are
// standard output. What is no regular file (a device, a pipe) is written to
// directly: it cannot be replaced.
func (a *app) writeFile(path string, data []byte) error {
	switch {
	case path == "" || isStdout(path):
		_, err := a.stdout.Write(data)
		return err
	case path == "/dev/stderr":
		_, err := a.stderr.Write(data)
		return err
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return writeError(path, writeDevice(path, data))
	}
	return replaceFile(target(path), data)
}

// formatOf looks at the ending of -o: rows go there as CSV, a name *.json means
// the document of --json, and what ends like another format is refused, lest a
// file be something else than its name says.
func formatOf(out, document *string) error {
	ext := strings.ToLower(filepath.Ext(*out))
	switch ext {
	case ".json":
		if *document != "" {
			return usageError{fmt.Errorf("-o %s and --json %s: choose one", *out, *document)}
		}
		*out, *document = "", *out
	case ".jsonl", ".parquet", ".arrow", ".feather", ".xlsx", ".ods", ".npy", ".npz", ".db", ".html", ".md", ".svg", ".png", ".pdf", ".gz", ".zip":
		return usageError{fmt.Errorf("-o %s: %s is not written: rows are written as CSV (*.csv) or as JSON (*.json)", *out, ext)}
	}
	return nil
}

// target follows symbolic links to the file that is to be written, which may
// not be there yet.
func target(path string) string {
	const most = 40 // as Linux follows
	for range most {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// isStdout reports whether a name means standard output.
func isStdout(path string) bool { return path == "-" || path == "/dev/stdout" }

// writeDevice writes to what is there already.
func writeDevice(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// replaceFile puts a new file in the place of the old one, if there is one.
func replaceFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".hyptx-*")
	if err != nil {
		return writeError(path, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	return writeError(path, err)
}

// writeError names the user's path, not the temporary file's.
func writeError(path string, err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}

// checkOutputs fails, before the work begins, for a file that cannot be
// written, two that are the same, and one that is an input. "" is no file and
// "-" standard output.
func (a *app) checkOutputs(inputs []string, outputs ...string) error {
	if countOf(inputs, "-") > 1 {
		return usageError{errors.New("standard input can be read only once")}
	}
	seen := map[string]bool{}
	for _, out := range outputs {
		if out == "" {
			continue
		}
		if err := checkOutput(out); err != nil {
			return err
		}
		name := filepath.Clean(out)
		if isStdout(out) {
			name = "standard output"
		}
		if seen[name] {
			return usageError{fmt.Errorf("several outputs would go to %s", name)}
		}
		seen[name] = true
	}
	a.outputs = append(a.outputs, outputs...)
	for _, in := range inputs {
		if err := a.checkInput(in); err != nil {
			return err
		}
	}
	return nil
}

// checkInput fails if a file that is read is one of the outputs.
func (a *app) checkInput(in string) error {
	st, err := os.Stat(in)
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	for _, out := range a.outputs {
		if other, err := os.Stat(out); err == nil && os.SameFile(st, other) {
			return usageError{fmt.Errorf("cannot write %s: it is an input", out)}
		}
	}
	return nil
}

// checkRead fails if an output is one of the files that programs are made of:
// the modules and the data that a manifest names.
func (a *app) checkRead(sessions []*analysis.Session) error {
	for _, s := range sessions {
		for _, in := range s.Inputs {
			if in.Name == analysis.FlagsInput {
				continue
			}
			if err := a.checkInput(in.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// gpuFiles returns the files in lists of GPUs, as --gpu takes them.
func gpuFiles(lists ...string) (files []string) {
	for _, list := range lists {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); gpu.IsFile(name) || strings.EqualFold(filepath.Ext(name), ".csv") {
				files = append(files, name)
			}
		}
	}
	return files
}

// countOf returns how often a string is in a list.
func countOf(list []string, s string) (n int) {
	for _, x := range list {
		if x == s {
			n++
		}
	}
	return n
}

// checkOutput fails if a file cannot be written. It leaves nothing behind.
func checkOutput(path string) error {
	if path == "-" {
		return nil
	}
	st, err := os.Stat(path)
	if err == nil && st.IsDir() {
		return fmt.Errorf("cannot write %s: it is a directory", path)
	}
	if err == nil && !st.Mode().IsRegular() {
		return nil // to open a pipe may wait for its other end
	}
	path = target(path)
	dir := filepath.Dir(path)
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return fmt.Errorf("cannot write %s: there is no directory %s", path, dir)
	}
	probe, err := os.CreateTemp(dir, ".hyptx-*")
	if err != nil {
		return writeError(path, err)
	}
	probe.Close()
	return os.Remove(probe.Name())
}
