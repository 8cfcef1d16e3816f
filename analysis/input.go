package analysis

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"hyptx/internal/manifest"
	"hyptx/internal/source"
	"hyptx/internal/textfile"
)

// Input is a text or file that a result depends on.
type Input struct {
	Name   string `json:"name"`   // for people; the hash does not depend on it
	SHA256 hash   `json:"sha256"` // of the contents, unpacked
}

// hash is a SHA-256, in JSON as hexadecimal.
type hash [sha256.Size]byte

// MarshalText writes hexadecimal digits.
func (h hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

func inputOf(s source.File) Input { return Input{s.Name, sha256.Sum256(s.Text)} }

// FlagsInput is the name of the input that is no file: the launch of a bare .ptx
// file.
const FlagsInput = "flags"

// flagsInput is the launch of a bare .ptx file as an input.
func flagsInput(f manifest.Flags) Input {
	text := fmt.Sprintf("grid %v block %v shared %d scalar %q args %q", f.Grid, f.Block, f.DynamicSharedBytes, f.DefaultScalar, f.Args)
	if f.Cluster != nil {
		text += fmt.Sprintf(" cluster %v", f.Cluster)
	}
	return Input{FlagsInput, sha256.Sum256([]byte(text))}
}

// HashInputs joins inputs to one hash, in hexadecimal: that of their hashes in
// order.
func HashInputs(inputs []Input) string {
	h := sha256.New()
	for _, in := range inputs {
		h.Write(in.SHA256[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// dataInputs hashes the data files that a manifest's buffers are filled from.
func dataInputs(m *manifest.Manifest) ([]Input, error) {
	var inputs []Input
	seen := map[string]bool{}
	for _, b := range m.Buffers {
		path := b.Init.DataPath()
		if path == "" || seen[path] {
			continue
		}
		seen[path] = true
		in, err := hashFile(path)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

func hashFile(path string) (Input, error) {
	f, err := os.Open(path)
	if err != nil {
		return Input{}, textfile.PlainError(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return Input{}, fmt.Errorf("%s: %w", path, err)
	}
	return Input{path, hash(h.Sum(nil))}, nil
}
