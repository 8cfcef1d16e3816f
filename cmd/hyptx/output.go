package main

import (
	"io"

	"hyptx/analysis"
)

// profileResult gathers the profiles of all arguments.
type profileResult struct {
	opts     analysis.Options
	profile  analysis.Profile
	programs []analysis.Program
	inputs   []analysis.Input
}

// add adds the profile of one argument, which may have several sessions.
func (r *profileResult) add(p *program) {
	s := p.sessions[0]
	r.profile.Append(p.profile)
	r.programs = append(r.programs, analysis.Program{Manifest: s.Manifest, Inputs: s.Inputs})
	r.inputs = append(r.inputs, s.Inputs...)
}

func (r *profileResult) stamp() analysis.Stamp {
	return analysis.Stamp{Version: version(), Inputs: analysis.HashInputs(r.inputs)}
}

// writeProfile writes a profile in every form that was asked for; a table if
// nothing else goes to standard output.
func (a *app) writeProfile(r *profileResult, f *profileFlags) error {
	p, stamp := &r.profile, r.stamp()
	files := []struct {
		path string
		fill func(io.Writer) error
	}{
		{f.out, func(w io.Writer) error { return p.WriteCSV(w, stamp, f.metrics) }},
		{f.byKernel, func(w io.Writer) error { return analysis.WriteRows(w, stamp, p.ByKernel(f.top)) }},
		{f.perCTA, func(w io.Writer) error { return p.WritePerCTA(w, stamp) }},
		{f.perInstruction, func(w io.Writer) error { return analysis.WriteRows(w, stamp, p.PerInstruction()) }},
		{f.loops, func(w io.Writer) error { return analysis.WriteRows(w, stamp, p.Loops()) }},
		{f.json, func(w io.Writer) error { return p.WriteJSON(w, stamp, r.programs, r.opts) }},
	}
	table := f.out == ""
	for _, file := range files {
		if file.path == "" {
			continue
		}
		if err := a.write(file.path, file.fill); err != nil {
			return err
		}
		table = table && !isStdout(file.path)
	}
	if table && f.top > 0 {
		return p.WriteKernelTable(a.stdout, f.top, a.columns())
	}
	if table {
		return p.WriteTable(a.stdout, f.metrics, a.columns())
	}
	return nil
}
