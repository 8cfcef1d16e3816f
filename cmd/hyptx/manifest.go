package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/manifest"
)

var _ = register((*app).manifestCommand)

func (a *app) manifestCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "manifest", Short: "Make and check launch manifests",
		Long: "Make and check launch manifests: JSON files that say how the kernels of a\n" +
			"program are launched, which PTX does not. docs/manifests.md describes the format.",
	}
	c.AddCommand(a.manifestNewCommand(), a.manifestCheckCommand())
	return c
}

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
	return &cobra.Command{
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
}

func (a *app) checkManifest(path string) error {
	src, err := analysis.ReadSource(path, a.stdin)
	if err != nil {
		return err
	}
	s, err := analysis.OpenManifest(src, analysis.DefaultOptions())
	if err != nil {
		return err
	}
	m := s.Manifest
	_, err = fmt.Fprintf(a.stdout, "%s: %s: %s, %s, %s, %s\n", src.Name, m.Name, plural(len(m.Buffers), "buffer"),
		plural(len(m.Modules), "module"), plural(s.Launches(), "launch"), plural(len(m.Outputs), "output"))
	return err
}

func (a *app) newManifest(path, out string) error {
	if path == "-" {
		return usageError{errors.New("manifest new needs a file, not standard input: the manifest names it")}
	}
	if err := a.checkOutputs([]string{path}, out); err != nil {
		return err
	}
	mod, err := a.module(path)
	if err != nil {
		return err
	}
	var ks []manifest.Kernel
	for _, k := range mod.Kernels() {
		d := analysis.DescribeKernel(k)
		d.Module = relativeTo(out, path)
		ks = append(ks, d)
	}
	if len(ks) == 0 {
		return fmt.Errorf("%s: no kernel (.entry) with a body", path)
	}
	m, err := manifest.New(analysis.Source{Name: path}.Stem(), ks)
	if err != nil {
		return err
	}
	return a.write(out, func(w io.Writer) error { return m.Encode(w) })
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
