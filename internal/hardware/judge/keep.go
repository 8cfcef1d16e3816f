package judge

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hyptx/internal/hardware/golden"
)

// Keeping. Judging is repeated, on machines that are lent for minutes, and a run
// that is cut off knows less than the one before it. So no file is replaced by a
// poorer one: what a run makes is counted (rows of a table, programs with an
// answer) and lies beside the earlier file until it holds as much. A table of 400 rows
// stays though a later run was cut off after 120; the 120 are in sass.tsv.partial.
// Tables are written under another name and renamed, so that none is ever half there.
// judge.json says which run each part is of.

// aside is the ending of a file that holds less than the earlier run's, which
// stays.
const aside = ".partial"

// put writes a table of a part. One of an earlier run that has more rows stays,
// and this one lies beside it.
func (j *judge) put(part, name string, text []byte) error {
	before, err := os.ReadFile(j.file(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	had, has := rows(before), rows(text)
	if has < had && !j.wrote[part] {
		j.kept[part] = fmt.Sprintf("%s has %d rows of an earlier run and stays; the %d of this one are in %s%s", name, had, has, name, aside)
		return replace(j.file(name)+aside, text)
	}
	delete(j.kept, part)
	j.wrote[part] = true
	os.Remove(j.file(name) + aside) // of this run, when it had less
	return replace(j.file(name), text)
}

// rows are a table's lines without comments.
func rows(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		if line[0] != '#' {
			n++
		}
	}
	return n
}

// answered is how many programs of an earlier outputs.jsonl did not fail; 0 if
// there is none.
func answered(path string) (n int, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	f, err := golden.Read(path, text)
	if err != nil {
		return 0, fmt.Errorf("%w; move the file away", err)
	}
	for _, p := range f.Programs {
		if p.Failed == "" {
			n++
		}
	}
	return n, nil
}

// settleOutputs puts what was written aside into the place of the earlier file,
// unless that has more programs with an answer.
func (j *judge) settleOutputs(written string, had, has int) error {
	path := j.file(outputsFile)
	if written == path {
		j.wrote["outputs"] = true
		return nil
	}
	if has < had {
		j.kept["outputs"] = fmt.Sprintf("%s has %d programs of an earlier run and stays; the %d of this one are in %s%s", outputsFile, had, has, outputsFile, aside)
		return nil
	}
	j.wrote["outputs"] = true
	return os.Rename(written, path)
}
