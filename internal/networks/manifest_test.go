package networks

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
	Type   string   `json:"type"`
	Null   bool     `json:"null"`
}

// folder holds the committed manifests, seen from the tests.
const folder = "../../ptx-samples/networks"

// all are the networks of both tables.
func all() []Network { return append(HyPA(), Ours...) }

// read returns a network's manifest; a key that the types above lack fails.
func read(t *testing.T, n Network) *file {
	t.Helper()
	text, err := n.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	f := &file{}
	if err := d.Decode(f); err != nil {
		t.Fatalf("%s: %v", n.Name, err)
	}
	if f.Version != 1 || f.Name != n.Name {
		t.Fatalf("%s: version %d, name %q", n.Name, f.Version, f.Name)
	}
	return f
}

// TestCommitted holds the committed manifests to the table.
func TestCommitted(t *testing.T) {
	for _, n := range Ours {
		want, err := n.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(folder, n.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s.json is not what the table gives: go run ./ptx-samples/networks/gen", n.Name)
		}
	}
}

// TestSeeds: no two buffers hold the same noise.
func TestSeeds(t *testing.T) {
	for _, n := range all() {
		owner := map[uint64]string{}
		for name, b := range read(t, n).Buffers {
			if b.Init == nil || b.Init.Uniform == nil {
				continue
			}
			seed := b.Init.Uniform.Seed
			if other, taken := owner[seed]; taken {
				t.Errorf("%s: %s and %s share seed %d", n.Name, name, other, seed)
			}
			owner[seed] = name
			if b.Init.Uniform.Low >= b.Init.Uniform.High {
				t.Errorf("%s: %s: empty range %+v", n.Name, name, b.Init.Uniform)
			}
		}
	}
}
