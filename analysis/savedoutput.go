package analysis

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"hyptx/internal/manifest"
	"hyptx/internal/strictjson"
	"hyptx/internal/textfile"
)

// SavedRun is the document of `hyptx run -o`, as far as others read it.
type SavedRun struct {
	Inputs  string          `json:"inputs_sha256"`
	Network string          `json:"network"`
	Device  json.RawMessage `json:"device"`
	Outputs []Output        `json:"outputs"`
}

// ReadSavedRun reads a document of `hyptx run -o`, gzipped or not, of outputs
// that have so many bytes: in base64 they take four thirds of that, and beside
// them stand lists of numbers and of launches.
func ReadSavedRun(path string, bytes int64) (*SavedRun, error) {
	_, text, err := textfile.Read(path, nil, maxSourceBytes+2*bytes)
	if err != nil {
		return nil, err
	}
	var r SavedRun
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: not what `hyptx run -o` writes: %w", path, strictjson.Plain("", err))
	}
	if r.Inputs == "" {
		return nil, fmt.Errorf("%s: not what `hyptx run -o` writes: there is no inputs_sha256", path)
	}
	return &r, nil
}

// UnmarshalJSON reads what MarshalJSON wrote: the name, the type and the bytes,
// which have to have the hash that stands beside them.
func (o *Output) UnmarshalJSON(text []byte) error {
	var v struct {
		Name   string `json:"name"`
		Type   string `json:"type"`
		SHA256 string `json:"sha256"`
		Data   []byte `json:"data"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	t, ok := manifest.ParseType(v.Type)
	if !ok {
		return fmt.Errorf("output %q: unknown type %q", v.Name, v.Type)
	}
	sum := sha256.Sum256(v.Data)
	switch {
	case v.Data == nil:
		return fmt.Errorf(`output %q has no "data": an older hyptx wrote it; run it again, or use option dump and the folder of the .npy files`, v.Name)
	case v.SHA256 != hex.EncodeToString(sum[:]):
		return fmt.Errorf(`output %q: its "data" do not have the hash in "sha256": the file was changed`, v.Name)
	case len(v.Data)%t.Size() != 0:
		return fmt.Errorf("output %q: %d bytes are no whole number of %s", v.Name, len(v.Data), v.Type)
	}
	*o = Output{Name: v.Name, Type: t, Data: v.Data}
	return nil
}

// Outputs reads the outputs from memory: before Run what they hold at first.
func (s *Session) Outputs() ([]Output, error) { return s.outputs() }

// Executed returns how many launches Step and Run have executed.
func (s *Session) Executed() int {
	n := 0
	for _, step := range s.steps[:s.next] {
		if step.launch != nil {
			n++
		}
	}
	return n
}
