package analysis

import (
	"bytes"
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
	list, err := fatbin.Modules(program, maxSourceBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return Dump(list), nil
}

// Dump writes modules as one text, in which [Source.Modules] finds them again.
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

// forTarget returns the modules for a target, all for "".
func forTarget(src Source, mods []*ir.Module, target string) ([]*ir.Module, error) {
	if target == "" {
		return mods, nil
	}
	chosen := slices.DeleteFunc(slices.Clone(mods), func(m *ir.Module) bool { return m.Target.String() != target })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("%s has no module for %s, but for %s", src.Name, target, strings.Join(targetsOf(mods), ", "))
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
func (s Source) modules() []Source {
	text := bytes.TrimPrefix(s.Text, []byte("\ufeff"))
	dumped := bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), dumpHeader)
	if !dumped && bytes.Count(text, versionWord) < 2 && !(bytes.HasPrefix(text, versionWord[1:]) && bytes.Contains(text, versionWord)) {
		return []Source{s}
	}
	var all []Source
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
		all = append(all, Source{s.Name, append(bytes.Repeat([]byte("\n"), lines), text[begin:end]...), s.Lenient})
	}
	if len(all) == 0 {
		return []Source{s}
	}
	return all
}

// Modules parses and lowers the modules of a text: one, or those of a dump. Errors of
// all are told together; a module that is of no use is left out.
func (s Source) Modules() (mods []*ir.Module, err error) {
	var errs []error
	parts := s.modules()
	for _, part := range parts {
		m, err := part.Module()
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
	return mods, joinKernels(errs, false)
}

// newestKernels returns the kernels of modules; of those that several modules have,
// the one for the newest GPU that is not refused.
func newestKernels(mods []*ir.Module) (kernels []*ir.Func) {
	byName := map[string]int{}
	for _, m := range mods {
		for _, k := range m.Kernels() {
			at, known := byName[k.Name]
			if !known {
				byName[k.Name] = len(kernels)
				kernels = append(kernels, k)
				continue
			}
			old, lost := kernels[at], kernels[at].Refused != nil
			if lost && k.Refused == nil || lost == (k.Refused != nil) && m.Target.SM > old.Module.Target.SM {
				kernels[at] = k
			}
		}
	}
	return kernels
}

// only returns the module of a text that has to be one.
func (s Source) only() (*ir.Module, error) {
	parts := s.modules()
	if len(parts) == 1 {
		return parts[0].Module()
	}
	mods, err := s.Modules()
	if len(mods) == 0 {
		return nil, err
	}
	return nil, fmt.Errorf("%s holds %d modules, for %v: a manifest needs one; `hyptx extract` writes them apart", s.Name, len(parts), targetsOf(mods))
}
