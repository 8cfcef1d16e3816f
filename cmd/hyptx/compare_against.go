package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"hyptx/analysis"
	"hyptx/internal/manifest"
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
	mine, err := s.Outputs()
	if err != nil {
		return nil, nil, err
	}
	bytes := int64(0)
	for _, o := range mine {
		bytes += int64(len(o.Data))
	}
	saved, err := analysis.ReadSavedRun(path, bytes)
	if err != nil {
		return nil, nil, err
	}
	if mine := analysis.HashInputs(s.Inputs); saved.Inputs != mine {
		return nil, nil, fmt.Errorf("%s is a run of other inputs (%s, inputs_sha256 %.12s..., not %.12s...): manifest, PTX, data and flags must be the same; run it again", path, saved.Network, saved.Inputs, mine)
	}
	return saved.Outputs, saved.Device, nil
}
