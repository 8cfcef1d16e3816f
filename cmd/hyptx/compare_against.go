package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"hyptx/analysis"
	"hyptx/emulator/manifest"
)

// savedOutputs reads what --against names: the JSON of hyptx run, or a folder
// with a .npy file for each output.
func savedOutputs(s *analysis.Session, path string) (outs []analysis.Output, gpu json.RawMessage, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("--against %s: no such file or folder", path)
	}
	if !st.IsDir() {
		return savedRun(s, path)
	}
	mine, err := s.Outputs()
	if err != nil {
		return nil, nil, err
	}
	for _, o := range mine {
		data, err := manifest.ReadNPY(filepath.Join(path, o.Name+".npy"), o.Type, int64(len(o.Data)))
		if err != nil {
			return nil, nil, fmt.Errorf("output %q: %w", o.Name, err)
		}
		outs = append(outs, analysis.Output{Name: o.Name, Type: o.Type, Data: data})
	}
	return outs, nil, nil
}

// savedRun reads the JSON of hyptx run.
func savedRun(s *analysis.Session, path string) ([]analysis.Output, json.RawMessage, error) {
	src, err := analysis.ReadSource(path, nil)
	if err != nil {
		return nil, nil, err
	}
	var saved struct {
		Version string            `json:"hyptx_version"`
		Inputs  string            `json:"inputs_sha256"`
		Network string            `json:"network"`
		Device  json.RawMessage   `json:"device"`
		Outputs []analysis.Output `json:"outputs"`
	}
	if err := json.Unmarshal(src.Text, &saved); err != nil {
		return nil, nil, fmt.Errorf("%s: not what `hyptx run -o` writes: %w", path, err)
	}
	switch mine := analysis.HashInputs(s.Inputs); {
	case saved.Inputs == "":
		return nil, nil, fmt.Errorf("%s: not what `hyptx run -o` writes: there is no inputs_sha256", path)
	case saved.Inputs != mine:
		return nil, nil, fmt.Errorf("%s is a run of other inputs (%s, inputs_sha256 %.12s..., not %.12s...): manifest, PTX, data and flags must be the same; run it again", path, saved.Network, saved.Inputs, mine)
	}
	return saved.Outputs, saved.Device, nil
}
