package analysis

import (
	"errors"
	"fmt"
	"path/filepath"

	"hyptx/internal/manifest"
	"hyptx/internal/source"
	"hyptx/ir"
)

// A module of several files. Each is read and checked by itself, so that an error names
// the place in its own file, and then they are linked ([ir.Link]): a manifest names them
// ("modules": {"m": {"files": [...]}}), or option link beside a bare file.

// files are what one module was made of.
type files struct {
	module  *ir.Module
	sources []source.File
}

// text returns the PTX of a module that is one file, nil if it was linked.
func (f *files) text() []byte {
	if len(f.sources) > 1 {
		return nil
	}
	return f.sources[0].Text
}

// inputs are the texts as what a result depends on.
func (f *files) inputs() (list []Input) {
	for _, src := range f.sources {
		list = append(list, inputOf(src))
	}
	return list
}

// fileOf is the file of an instruction, without its folder.
func (lp *LaunchProfile) fileOf(pc ir.PC) string { return filepath.Base(lp.Kernel.Module.FileOf(pc)) }

// loadModules loads the modules of a manifest, each of one file or of several.
func loadModules(m *manifest.Manifest, opts *Options) ([]files, error) {
	var paths []string
	for _, mod := range m.Modules {
		paths = append(paths, mod.Files...)
	}
	mods, sources, errs := loadAll(paths, opts)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	out := make([]files, len(m.Modules))
	for i, mod := range m.Modules {
		n := len(mod.Files)
		linked, err := ir.Link(mods[:n])
		if err != nil {
			errs = append(errs, m.Errorf(mod.Path+".files", "%w", err))
		}
		out[i] = files{linked, sources[:n]}
		mods, sources = mods[n:], sources[n:]
	}
	return out, errors.Join(errs...)
}

// linkBare links other files to the module of a bare one.
func linkBare(src source.File, mods []*ir.Module, opts Options, link []string) ([]*ir.Module, []source.File, error) {
	sources := []source.File{src}
	if len(link) == 0 {
		return mods, sources, nil
	}
	if len(mods) > 1 {
		return nil, nil, fmt.Errorf("%s holds %d modules: others are linked to one", src.Name, len(mods))
	}
	more, texts, errs := loadAll(link, &opts)
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	m, err := ir.Link(append(mods, more...))
	return []*ir.Module{m}, append(sources, texts...), err
}
