package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

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
	if path == "" || path == "-" {
		_, err := a.stdout.Write(data)
		return err
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return os.WriteFile(path, data, 0o644)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return replaceFile(path, data)
}

// replaceFile puts a new file in the place of the old one, if there is one.
func replaceFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".hyptx-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// checkOutputs fails, before the work begins, if a file cannot be written
// because its folder is not there or because it is a folder itself.
func checkOutputs(paths ...string) error {
	for _, p := range paths {
		if p == "" || p == "-" {
			continue
		}
		if st, err := os.Stat(p); err == nil && st.IsDir() {
			return usageError{fmt.Errorf("cannot write %s: it is a directory", p)}
		}
		if st, err := os.Stat(filepath.Dir(p)); err != nil || !st.IsDir() {
			return usageError{fmt.Errorf("cannot write %s: there is no directory %s", p, filepath.Dir(p))}
		}
	}
	return nil
}
