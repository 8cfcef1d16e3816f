package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/guard"
)

// Files appear whole or not at all. A file's contents go, as they are made (some
// are larger than memory), into a temporary file in the same folder, which takes
// the file's name in one step. So a run that fails or is killed leaves the old file or the new
// one, never a half, and what was complete when a run ended early is complete on
// disk, too. A link is followed to what it points to. Devices and pipes cannot
// be replaced and are written to.
//
// Before the work begins all outputs are checked, because an hour of emulation
// should not end with a typing error: each can be written, no two are one file,
// and none is a file that is read.

// write fills a file that appears whole or not at all; "" and "-" are standard
// output. A run that is to end in the middle of it leaves the file as it
// was; what is written after the end is what was complete, and gets its time.
func (a *app) write(path string, fill func(io.Writer) error) error {
	ctx := a.ctx
	if ctx == nil || ctx.Err() != nil {
		ctx = context.Background()
	}
	f, err := a.create(ctx, path)
	if err != nil {
		return err
	}
	_, _, err = guard.Within(ctx, graceTime, func() (any, error) {
		if err := fill(f); err != nil {
			return nil, err
		}
		return nil, f.Flush()
	})
	return f.end(err)
}

// outFile is a file that is being written.
type outFile struct {
	*bufio.Writer
	a    *app
	path string   // as the user calls it
	file *os.File // nil for the streams of the program
	// to is the file whose place it takes in the end, "" where it is written to
	// directly.
	to string
}

// create begins to write a file. What is no regular file (a device, a pipe) is
// written to directly: it cannot be replaced. Writing fails when ctx has ended.
//
// The temporary file is in the same folder because a rename across file systems is
// a copy, which can be seen half done; and it is given the mode that a shell's
// redirection gives, where CreateTemp's is for its owner alone.
func (a *app) create(ctx context.Context, path string) (f *outFile, err error) {
	f = &outFile{a: a, path: path}
	var w io.Writer
	switch st, missing := os.Stat(path); {
	case path == "" || isStdout(path):
		w = a.stdout
	case path == "/dev/stderr":
		w = a.stderr
	case missing == nil && !st.Mode().IsRegular():
		f.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	default:
		f.to = target(path)
		f.file, err = os.CreateTemp(filepath.Dir(f.to), ".hyptx-*")
	}
	if err != nil {
		return nil, writeError(path, err)
	}
	if f.file != nil {
		w = f.file
	}
	f.Writer = bufio.NewWriterSize(endingWriter{ctx, w, path}, 1<<20)
	a.unfinished.Store(f, nil)
	return f, nil
}

// end ends the writing, all of which has been flushed: the file appears, or, where
// something failed, does not.
func (f *outFile) end(failed error) error {
	err := f.finish(failed)
	if err == nil {
		f.a.mu.Lock()
		f.a.unwritten = slices.DeleteFunc(f.a.unwritten, func(path string) bool { return path == f.path })
		f.a.mu.Unlock()
	}
	return err
}

// finish does it.
func (f *outFile) finish(failed error) error {
	f.a.unfinished.Delete(f)
	if f.file == nil {
		return failed
	}
	if f.to == "" {
		return errors.Join(failed, f.file.Close())
	}
	defer os.Remove(f.file.Name())
	if failed != nil {
		f.file.Close()
		return failed
	}
	err := f.file.Chmod(0o644)
	if closeErr := f.file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.file.Name(), f.to)
	}
	return writeError(f.path, err)
}

// noteUnwritten says at the second Ctrl-C which outputs the run was to write and has not.
func (a *app) noteUnwritten() {
	if part := a.part.Load(); part != nil {
		part.bar.end()
		part.noteUnwritten()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, path := range a.unwritten {
		fmt.Fprintf(a.notes, "hyptx: interrupted again before %s was written\n", path)
	}
}

// keep notes that some rows of a run that failed are complete, and what to say of them.
func (a *app) keep(rows, more string) { a.kept = append(a.kept, rows+" complete and %s"+more) }

// noteKept says whether what is complete of a run that failed stands in its files.
func (a *app) noteKept() {
	what := "written all the same"
	if len(a.unwritten) > 0 || a.text.failed != nil {
		what = "yet not all of it could be written"
	}
	for _, format := range a.kept {
		a.note(format, what)
	}
}

// errUnfinished is why a file does not appear whose rows nobody asks for in the end.
var errUnfinished = errors.New("the run ended before it")

// dropUnfinished takes away what was not written to its end.
func (a *app) dropUnfinished() {
	if part := a.part.Load(); part != nil {
		part.dropUnfinished()
	}
	a.unfinished.Range(func(f, _ any) bool {
		_ = f.(*outFile).end(errUnfinished) // of which something else has been said
		return true
	})
}

// endingWriter is a writer to what the user calls path that fails when ctx has ended.
type endingWriter struct {
	ctx  context.Context
	w    io.Writer
	path string
}

func (b endingWriter) Write(data []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	n, err := b.w.Write(data)
	if b.path != "" && !isStdout(b.path) {
		err = writeError(b.path, err)
	}
	return n, err
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

// checkOutputs fails, before the work begins, for a file whose name contradicts
// what is written there, that cannot be written, that is an input, and for two
// that are the same. "" is no file and "-" standard output.
func (a *app) checkOutputs(inputs []string, outputs ...*output) error {
	if i := slices.Index(inputs, "-"); i >= 0 && slices.Contains(inputs[i+1:], "-") {
		return usagef("standard input can be read only once")
	}
	seen := map[string]bool{}
	for _, out := range outputs {
		if !out.asked() {
			continue
		}
		if err := errors.Join(out.check(), checkOutput(out.path)); err != nil {
			return err
		}
		name := target(out.path) // where links lead: what is written through one is that file
		if isStdout(out.path) {
			name = "standard output"
		}
		if seen[name] {
			return usagef("several outputs would go to %s", name)
		}
		seen[name] = true
		a.outputs = append(a.outputs, out.path)
		a.mu.Lock()
		a.unwritten = append(a.unwritten, out.path)
		a.mu.Unlock()
	}
	for _, in := range inputs {
		if err := a.checkInput(in); err != nil {
			return err
		}
	}
	return nil
}

// checkInput fails if a file that is read is one of the outputs. Files are held
// against each other as the system knows them (device and inode), not by name:
// k.ptx, ./k.ptx and a link to it are one file, and to write a profile over the
// program it is of is a mistake that nobody can undo.
func (a *app) checkInput(in string) error {
	st, err := os.Stat(in)
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	for _, out := range a.outputs {
		if other, err := os.Stat(out); err == nil && os.SameFile(st, other) {
			return usagef("cannot write %s: it is an input", out)
		}
	}
	return nil
}

// checkRead fails if an output is one of the files that programs are made of:
// the modules and the data that a manifest names. These are known only once it
// is read, hence this second check; it still comes before the emulation.
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
			if name, _ = gpu.Base(strings.TrimSpace(name)); gpu.IsFile(name) || strings.EqualFold(filepath.Ext(name), ".csv") {
				files = append(files, name)
			}
		}
	}
	return files
}

// checkOutput fails if a file cannot be written. It leaves nothing behind. Modes
// and owners say too little (a full quota, a read-only mount, a root user), so it
// makes a file in the folder and takes it away again: what create will do.
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
