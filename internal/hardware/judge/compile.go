package judge

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hyptx/internal/hardware/sass"
	"hyptx/internal/manifest"
	"hyptx/ir/isa"
	"hyptx/ptx-samples/features"
)

// ptxas judges the estimate of machine code: it compiles every feature program
// and every kernel, for this GPU's architecture first and then for the others
// that it knows, and its line table says which machine instructions came of
// which PTX instruction.

// A driver compiles for its own GPU and keeps the machine code to itself; ptxas and
// nvdisasm, where they are installed, show it, for every architecture they know and
// without a GPU. That is why this part runs on any machine, and why it is the second:
// it needs little time and says most about times that are predicted.

// architectures are those whose machine code is recorded besides the GPU's.
// Tests shorten the list.
var architectures = []string{"sm_70", "sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"}

// compile has ptxas compile every feature program and every kernel, first for
// this GPU.
func (j *judge) compile(ctx context.Context) (note string, err error) {
	tools, err := sass.Find(ctx, j.temp)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", errNothing{err}
	}
	own, others, err := j.targets()
	if err != nil {
		return "", err
	}
	known, refused := tools.Architectures(ctx, slices.Concat(own, others))
	own = slices.DeleteFunc(own, func(t isa.Target) bool { return !slices.Contains(known, t) })
	others = slices.DeleteFunc(others, func(t isa.Target) bool { return !slices.Contains(known, t) })
	programs, err := features.All()
	if err != nil {
		return "", err
	}
	files, err := j.kernelFiles()
	if err != nil {
		return "", err
	}
	table := &sass.Table{Source: append([]string{"what NVIDIA's tools make of the PTX of hyptx's samples; " + j.date() + ", hyptx " + j.Version},
		append(tools.Versions, refused...)...)}
	for _, targets := range [][]isa.Target{own, others} {
		table.Rows = append(table.Rows, tools.Forms(ctx, programs, targets)...)
		table.Rows = append(table.Rows, tools.Kernels(ctx, files, j.kernelName, targets)...)
		if ctx.Err() != nil {
			table.Source = append(table.Source, "cut off: "+context.Cause(ctx).Error())
		}
		var text bytes.Buffer
		if err := table.Write(&text); err != nil {
			return "", err
		}
		if err := j.put("sass", "sass.tsv", text.Bytes()); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d rows for %v, by %s", len(table.Rows), known, strings.Join(tools.Versions, ", ")), context.Cause(ctx)
}

// targets are the GPU's architecture, if there is a GPU, and the others.
func (j *judge) targets() (own, others []isa.Target, err error) {
	if j.device.Name != "" {
		t, err := sass.TargetOf(j.device.Major, j.device.Minor)
		if err != nil {
			return nil, nil, err
		}
		own = append(own, t)
	}
	for _, name := range architectures {
		t, err := isa.ParseTarget([]string{name})
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(own, t) {
			others = append(others, t)
		}
	}
	return own, others, nil
}

// kernelFiles lists the modules of all samples but the feature programs.
func (j *judge) kernelFiles() ([]string, error) {
	var files []string
	for _, s := range j.samples {
		if s.Feature != nil {
			continue
		}
		m, err := manifest.Parse(s.Source.Name, s.Source.Text)
		if err != nil {
			return nil, err
		}
		for _, mod := range m.Modules {
			if !slices.Contains(files, mod.Files[0]) {
				files = append(files, mod.Files[0])
			}
		}
	}
	return files, nil
}

// kernelName is how the table calls a file: kernels/sm_70/relu.ptx of ours,
// networks/NAME/file of a network's.
func (j *judge) kernelName(file string) string {
	if rest, err := filepath.Rel(j.Samples, file); err == nil && !strings.HasPrefix(rest, "..") {
		return filepath.ToSlash(rest)
	}
	for _, s := range j.samples {
		dir := filepath.Dir(s.Source.Name)
		if rest, err := filepath.Rel(dir, file); s.Feature == nil && err == nil && !strings.HasPrefix(rest, "..") {
			return s.Name + "/" + filepath.Base(file)
		}
	}
	return filepath.Base(file)
}
