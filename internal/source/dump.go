package source

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hyptx/internal/fatbin"
	"hyptx/ir"
)

// cuobjdump prints the PTX of a program as one text: each module behind a header,
//
//	Fatbin ptx code:
//	================
//	arch = sm_80
//
// and `cat a.ptx b.ptx` makes one without headers. Such a text is several modules,
// which may hold the same kernels for several GPUs.

// dumpHeader begins what cuobjdump says of an entry of a fat binary; the rest of the
// entry is PTX from a line .version on, or nothing that is text.
var dumpHeader = []byte("Fatbin ")

// versionWord begins a module where it stands at the beginning of a line.
var versionWord = []byte("\n.version")

// dumped returns the PTX in a program as one text: that of a module, or a dump of
// several as cuobjdump prints it.
func dumped(name string, program []byte) ([]byte, error) {
	list, err := fatbin.Modules(program, MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return Dump(list), nil
}

// Dump writes modules as one text, in which [File.Modules] finds them again.
func Dump(list []fatbin.Module) []byte {
	if len(list) == 1 {
		return list[0].Text
	}
	var b bytes.Buffer
	for _, m := range list {
		fmt.Fprintf(&b, "%sptx code:\n================\narch = %s\n\n%s\n", dumpHeader, m.Target(), bytes.TrimRight(m.Text, "\n"))
	}
	return b.Bytes()
}

// ForTarget returns those of its modules that are for a target, all for "".
func (f File) ForTarget(mods []*ir.Module, target string) ([]*ir.Module, error) {
	if target == "" {
		return mods, nil
	}
	chosen := slices.DeleteFunc(slices.Clone(mods), func(m *ir.Module) bool { return m.Target.String() != target })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("%s has no module for %s, but for %s", f.Name, target, strings.Join(targetsOf(mods), ", "))
	}
	return chosen, nil
}

// targetsOf lists the targets of modules, each once.
func targetsOf(mods []*ir.Module) (targets []string) {
	for _, m := range mods {
		if t := m.Target.String(); !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	return targets
}

// modules returns the modules of a text, each with its lines in the place that they
// have in the whole text.
func (f File) modules() []File {
	text := bytes.TrimPrefix(f.Text, []byte("\ufeff"))
	dumped := bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), dumpHeader)
	if !dumped && bytes.Count(text, versionWord) < 2 && !(bytes.HasPrefix(text, versionWord[1:]) && bytes.Contains(text, versionWord)) {
		return []File{f}
	}
	var all []File
	for at := 0; at < len(text); {
		begin := at
		if !bytes.HasPrefix(text[at:], versionWord[1:]) {
			i := bytes.Index(text[at:], versionWord)
			if i < 0 {
				break
			}
			begin = at + i + 1
		}
		end := len(text)
		if i := bytes.Index(text[begin:], versionWord); i >= 0 {
			end = begin + i + 1
		}
		at = end
		if i := bytes.Index(text[begin:end], append([]byte("\n"), dumpHeader...)); dumped && i >= 0 {
			end = begin + i + 1
		}
		if len(all) == 0 && !dumped {
			begin = 0 // comments before the first module
		}
		lines := bytes.Count(text[:begin], []byte("\n"))
		all = append(all, File{f.Name, append(bytes.Repeat([]byte("\n"), lines), text[begin:end]...), f.Lenient})
	}
	if len(all) == 0 {
		return []File{f}
	}
	return all
}

// Apart returns the texts of the modules of a text, none if it is no PTX.
func (f File) Apart() (list []fatbin.Module) {
	for _, part := range f.modules() {
		text := bytes.TrimLeft(part.Text, "\n")
		if bytes.HasPrefix(text, versionWord[1:]) || bytes.Contains(text, versionWord) {
			list = append(list, fatbin.Module{Text: text})
		}
	}
	return list
}

// Modules parses and lowers the modules of a text: one, or those of a dump. Errors of
// all are told together; a module that is of no use is left out.
func (f File) Modules(options ...ir.Option) (mods []*ir.Module, err error) {
	var errs []error
	parts := f.modules()
	for _, part := range parts {
		m, err := part.Module(options...)
		if m != nil {
			mods = append(mods, m)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) == 1 && len(parts) == 1 {
		return mods, errs[0]
	}
	return mods, errors.Join(errs...)
}

// Only returns the module of a text that has to be one.
func (f File) Only() (*ir.Module, error) {
	parts := f.modules()
	if len(parts) == 1 {
		return parts[0].Module()
	}
	mods, err := f.Modules()
	if len(mods) == 0 {
		return nil, err
	}
	return nil, fmt.Errorf("%s holds %d modules, for %v: a manifest needs one; `hyptx extract` writes them apart", f.Name, len(parts), targetsOf(mods))
}
