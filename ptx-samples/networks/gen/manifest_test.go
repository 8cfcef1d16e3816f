package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// A file is a committed manifest, as a reader sees it.
type file struct {
	Version  int                    `json:"version"`
	Name     string                 `json:"name"`
	Meta     meta                   `json:"meta"`
	Buffers  map[string]*fileBuffer `json:"buffers"`
	Launches []fileLaunch           `json:"launches"`
	Outputs  []string               `json:"outputs"`
}

type fileBuffer struct {
	Bytes int      `json:"bytes"`
	Type  string   `json:"type"`
	Init  *initial `json:"init"`
}

type fileLaunch struct {
	Label              string    `json:"label"`
	Module             string    `json:"module"`
	Kernel             string    `json:"kernel"`
	Grid               []int     `json:"grid"`
	Block              []int     `json:"block"`
	DynamicSharedBytes int       `json:"dynamicSharedBytes"`
	Args               []fileArg `json:"args"`
}

type fileArg struct {
	Buffer string   `json:"buffer"`
	Offset int      `json:"offset"`
	Value  *float64 `json:"value"`
	Null   bool     `json:"null"`
}

// folder holds the committed manifests, seen from the tests.
const folder = ".."

// read returns a committed manifest; a key that the types above lack fails.
func read(t *testing.T, name string) *file {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	f := &file{}
	if err := d.Decode(f); err != nil {
		t.Fatalf("%s.json: %v", name, err)
	}
	if f.Version != 1 || f.Name != name {
		t.Fatalf("%s.json: version %d, name %q", name, f.Version, f.Name)
	}
	return f
}

// TestCommitted holds the committed manifests to the table.
func TestCommitted(t *testing.T) {
	dir := t.TempDir()
	if err := writeAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, n := range networks {
		want, err := os.ReadFile(filepath.Join(dir, n.name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(folder, n.name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s.json is not what the table gives: go run ./ptx-samples/networks/gen", n.name)
		}
	}
}

// TestSeeds: no two buffers hold the same noise.
func TestSeeds(t *testing.T) {
	for _, n := range networks {
		owner := map[uint64]string{}
		for name, b := range read(t, n.name).Buffers {
			if b.Init == nil {
				continue
			}
			seed := b.Init.Uniform.Seed
			if other, taken := owner[seed]; taken {
				t.Errorf("%s: %s and %s share seed %d", n.name, name, other, seed)
			}
			owner[seed] = name
			if b.Init.Uniform.Low >= b.Init.Uniform.High {
				t.Errorf("%s: %s: empty range %+v", n.name, name, b.Init.Uniform)
			}
		}
	}
}
