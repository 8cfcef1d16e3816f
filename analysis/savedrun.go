package analysis

import (
	"encoding/json"
	"fmt"

	"hyptx/internal/source"
	"hyptx/internal/strictjson"
	"hyptx/internal/textfile"
)

// savedRun is the document of `hyptx run -o`, as far as others read it.
type savedRun struct {
	Inputs  string          `json:"inputs_sha256"`
	Network string          `json:"network"`
	Device  json.RawMessage `json:"device"`
	Outputs []Output        `json:"outputs"`
}

// ReadSavedRun reads a document of `hyptx run -o`, gzipped or not, of outputs
// that have so many bytes: in base64 they take four thirds of that, and beside
// them stand lists of numbers and of launches.
func ReadSavedRun(path string, bytes int64) (*savedRun, error) {
	_, text, err := textfile.Read(path, nil, source.MaxBytes+2*bytes)
	if err != nil {
		return nil, err
	}
	var r savedRun
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: not what `hyptx run -o` writes: %w", path, strictjson.Plain("", err))
	}
	if r.Inputs == "" {
		return nil, fmt.Errorf("%s: not what `hyptx run -o` writes: there is no inputs_sha256", path)
	}
	return &r, nil
}
