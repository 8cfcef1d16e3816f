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

// versionWord begins a module where it stands first on a line, behind blanks perhaps.
var versionWord = []byte(".version")

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
	c := &comments{text: text}
	begin := c.nextModule(0)
	if begin == len(text) {
		return []File{f}
	}
	next := c.nextModule(begin + 1)
	if !dumped && next == len(text) {
		return []File{f}
	}
	var all []File
	for counted, lines := 0, 0; begin < len(text); next = c.nextModule(min(begin+1, len(text))) {
		end := next
		if i := bytes.Index(text[begin:end], append([]byte("\n"), dumpHeader...)); dumped && i >= 0 {
			end = begin + i + 1
		}
		if len(all) == 0 && !dumped {
			begin = 0 // comments before the first module
		}
		lines += bytes.Count(text[counted:begin], []byte("\n"))
		counted = begin
		all = append(all, File{f.Name, text[begin:end:end], f.Lenient, lines})
		begin = next
	}
	return all
}

// nextModule returns where the next line begins, of those that do not begin before from,
// whose first word is .version; the length of the text if there is none.
func (c *comments) nextModule(from int) int {
	text := c.text
	for at := from; ; {
		i := bytes.Index(text[at:], versionWord[1:]) // of dots there are too many to look at each
		if i < 0 {
			return len(text)
		}
		word := at + i - 1
		if at = word + len(versionWord); word < 0 || text[word] != '.' {
			continue
		}
		line := len(bytes.TrimRight(text[:word], " \t\r"))
		first := line == 0 || text[line-1] == '\n'
		if first && line >= from && (at == len(text) || bytes.IndexByte([]byte(" \t\r\n/"), text[at]) >= 0) && c.end(line) == line {
			return line
		}
	}
}

// Apart returns the texts of the modules of a text, none if it is no PTX.
func (f File) Apart() (list []fatbin.Module) {
	for _, part := range f.modules() {
		if c := (comments{text: part.Text}); c.nextModule(0) < len(part.Text) {
			list = append(list, fatbin.Module{Text: bytes.TrimLeft(part.Text, "\n")})
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
