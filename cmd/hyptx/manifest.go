package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/manifest"
	"hyptx/internal/source"
)

// hyptx manifest: the files that say how kernels are launched. `new` writes one with
// every kernel of a .ptx file, in which what PTX does not say stands as FILL IN; the
// other commands refuse it until that is done, because a guess that was overlooked
// would give exact counts of another program. `check` opens a manifest with all that
// it names, as profile does, and runs nothing.

var _ = register((*app).manifestCommand)

func (a *app) manifestCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "manifest", Short: "Make and check launch manifests",
		Example: "  hyptx manifest new k.ptx -o k.json\n  hyptx manifest check k.json",
		Long: "Make and check launch manifests: JSON files that say how the kernels of a\n" +
			"program are launched, which PTX does not. docs/manifests.md describes the format.",
	}
	c.AddCommand(a.manifestNewCommand(), a.manifestCheckCommand())
	return c
}

// manifestNewCommand prints the manifest of a .ptx file. PTX has a kernel's
// parameters with their types, but not how many CTAs it is launched with, how large
// a buffer is, or what a scalar means; the file names these places, so that who
// fills it in need not know the format.
func (a *app) manifestNewCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use: "new FILE.ptx", Short: "Print a manifest to fill in",
		Long: "Print a manifest with one launch of each kernel. Grids, blocks, sizes and values are\n" +
			"to be filled in where it says FILL IN; until then check, profile and run refuse it.\n" +
			"The path of the .ptx file in it is relative to the manifest given by -o, else to the\n" +
			"present directory.",
		Example:           "  hyptx manifest new k.ptx > k.json\n  hyptx manifest new build/k.ptx -o runs/k.json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeFiles("ptx", "gz"),
		RunE:              func(c *cobra.Command, args []string) error { return a.newManifest(args[0], out) },
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write to this `file` instead of standard output")
	return c
}

func (a *app) manifestCheckCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "check MANIFEST.json...", Short: "Check manifests and everything that they name",
		Example:           "  hyptx manifest check k.json",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeFiles("json", "gz"),
		RunE: func(c *cobra.Command, args []string) error {
			var failed error
			for _, path := range args {
				failed = errors.Join(failed, a.checkManifest(path))
			}
			return failed
		},
	}
	a.limits.addRestrict(c)
	return c
}

// checkManifest opens a manifest with all that it names and prints what it holds:
// "resnet50.json: resnet50: 342 buffers, 11 modules, 135 launches, 2 outputs". It has no
// check of its own: what profile would refuse is refused here, in the same words.
func (a *app) checkManifest(path string) error {
	src, err := a.read(path)
	if err != nil {
		return err
	}
	opts := a.defaults()
	opts.Restrict = a.limits.restrict
	s, err := guarded(a, func() (*analysis.Session, error) { return analysis.OpenManifest(src, opts) })
	if err != nil {
		return err
	}
	m := s.Manifest
	a.names.learnProgram(s)
	a.say("%s: %s: %s, %s, %s, %s", src.Name, m.Name, plural(len(m.Buffers), "buffer"),
		plural(len(m.Modules), "module"), plural(s.Launches(), "launch"), plural(len(m.Outputs), "output"))
	return nil
}

// newManifest writes the manifest of a .ptx file, whose kernels it describes one
// after the other, but those that are refused. Standard input has no name that a manifest could say.
func (a *app) newManifest(path, out string) error {
	if path == "-" {
		return usagef("manifest new needs a file, not standard input: the manifest names it")
	}
	if err := a.checkOutputs([]string{path}, &output{flag: "-o", path: out, as: asJSON}); err != nil {
		return err
	}
	mod, refused := a.module(path)
	if mod == nil {
		return refused
	}
	var ks []manifest.Kernel
	for _, k := range mod.Kernels() {
		if k.Refused != nil {
			continue
		}
		d := analysis.DescribeKernel(k)
		d.Module = relativeTo(out, path)
		ks = append(ks, d)
	}
	switch {
	case len(ks) == 0 && refused != nil:
		return refused
	case len(ks) == 0:
		return fmt.Errorf("%s: no kernel (.entry) with a body", path)
	}
	text := manifest.New(source.File{Name: path}.Stem(), ks)
	err := a.write(out, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	return errors.Join(err, refused)
}

// relativeTo returns how a manifest names a file: relative to its own folder,
// with slashes on every system. A manifest on standard output is taken to be
// put in the present directory.
func relativeTo(out, path string) string {
	if out == "" || out == "-" {
		return filepath.ToSlash(path)
	}
	from, err1 := filepath.Abs(filepath.Dir(out))
	to, err2 := filepath.Abs(path)
	if rel, err := filepath.Rel(from, to); err1 == nil && err2 == nil && err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}
