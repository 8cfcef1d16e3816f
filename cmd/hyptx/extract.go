package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"hyptx/internal/fatbin"
	"hyptx/internal/source"
	"hyptx/internal/textfile"
)

// hyptx extract: the PTX that compilers put into programs, as files. Who wants but a look
// names the program itself in the place of a .ptx file.

// extractFlags are the flags of hyptx extract.
type extractFlags struct {
	out  string
	most byteSize
}

// asPTX are the files that it writes.
var asPTX = format{[]string{".ptx"}, "it is PTX (*.ptx)", false}

var _ = register((*app).extractCommand)

func (a *app) extractCommand() *cobra.Command {
	f := extractFlags{most: 1 << 30}
	c := &cobra.Command{
		Use:   "extract PROGRAM",
		Short: "Take the PTX out of a program",
		Long: "Take the PTX out of a program that nvcc or clang has made: an executable, a library, an\n" +
			"object file, an archive, or a fat binary by itself; or out of what cuobjdump prints of one.\n" +
			"Without -o the modules are listed. All commands that take a .ptx file take these, too;\n" +
			"\"-o -\" prints the text that they read, whose lines are those of their messages.",
		Example:           "  hyptx extract app\n  hyptx extract libkernels.so -o ptx\n  hyptx extract app -o - | less",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeFiles("so", "o", "a", "fatbin", "cubin"),
		RunE:              func(_ *cobra.Command, args []string) error { return a.extract(args[0], &f) },
	}
	c.Flags().StringVarP(&f.out, "output", "o", "", "write a file for each module into this `folder`, or all to standard output (-)")
	c.Flags().Var(&f.most, "max-bytes", "most bytes of the program, and of all PTX in it, a `size` as 512MiB or 2GiB")
	return c
}

// extract writes the modules of a program, or lists them. What is broken of it is told
// when the rest is written.
func (a *app) extract(path string, f *extractFlags) error {
	name, data, err := textfile.Read(path, a.stdin, int64(f.most))
	if err != nil {
		return boundedBytes(err)
	}
	list, err := modulesIn(data, int64(f.most))
	if err != nil {
		err = boundedBytes(fmt.Errorf("%s: %w", name, err))
	}
	switch {
	case len(list) == 0:
		return err
	case f.out == "-":
		_, wrong := a.stdout.Write(source.Dump(list))
		return errors.Join(err, wrong)
	case f.out != "":
		if wrong := os.MkdirAll(f.out, 0o755); wrong != nil {
			return textfile.PlainError(wrong)
		}
	}
	stem := source.File{Name: name}.Stem()
	var outputs []*output
	for i := range list {
		m := &list[i]
		file := fmt.Sprintf("%s.%d.%s.ptx", stem, i+1, m.Target())
		a.say("%s: %s, %d bytes", filepath.Join(f.out, file), m.Target(), len(m.Text))
		if f.out != "" {
			outputs = append(outputs, &output{flag: "-o", path: filepath.Join(f.out, file), as: asPTX,
				fill: func(w io.Writer) error { _, err := w.Write(m.Text); return err }})
		}
	}
	if wrong := a.checkOutputs([]string{path}, outputs...); wrong != nil {
		return errors.Join(err, wrong)
	}
	_, wrong := a.writeOutputs(outputs)
	return errors.Join(err, wrong)
}

// modulesIn returns the modules of a program, or of what cuobjdump prints of one.
func modulesIn(data []byte, most int64) ([]fatbin.Module, error) {
	if fatbin.Is(data) {
		return fatbin.Modules(data, most)
	}
	if list := (source.File{Text: data}).Apart(); len(list) > 0 {
		return list, nil
	}
	return nil, errors.New("this is no program, and no PTX")
}

// boundedBytes names the flag of a limit that an error is of.
func boundedBytes(err error) error {
	if limit := (*fatbin.LimitError)(nil); errors.As(err, &limit) || errors.Is(err, textfile.ErrLarger) {
		return fmt.Errorf("%w; --max-bytes says how much may be", err)
	}
	return err
}
