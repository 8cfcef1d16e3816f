package main

import (
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/internal/shipped"
	"hyptx/internal/textfile"
)

// hyptx samples: the programs that ship with hyptx. They are in the program, or made by
// it: 36 networks are some pages of Go, and 6 MB as manifests.

var _ = register((*app).samplesCommand)

func (a *app) samplesCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "samples",
		Short: "List the programs and networks that ship with hyptx, or write them",
		Long: "List the programs and networks that ship with hyptx. `hyptx samples write` writes their\n" +
			"manifests and PTX, which all other commands take.",
		Example: "  hyptx samples\n  hyptx samples write hypa/densenet121 -o samples && hyptx profile samples/hypa/densenet121.json",
		Args:    cobra.ArbitraryArgs, // which noSample refuses
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return noSample(c, args)
			}
			return a.listSamples()
		},
	}
	c.AddCommand(a.samplesWriteCommand())
	return c
}

// noSample refuses arguments of the list. Who gives one mistyped write, or wants a program.
func noSample(c *cobra.Command, args []string) error {
	c.SuggestionsMinimumDistance = 2
	_, err := shipped.Matching(args[0])
	switch {
	case len(c.SuggestionsFor(args[0])) > 0:
		return unknownCommand(c, args)
	case err != nil:
		return usagef("%w", err)
	}
	return usagef("`hyptx samples` lists all; `hyptx samples write %s` writes this", args[0])
}

// listSamples prints the names, folder by folder.
func (a *app) listSamples() error {
	list, err := shipped.List()
	if err != nil {
		return err
	}
	var s sheet
	s.add("folder", "programs", "names")
	for _, folder := range shipped.Folders {
		var names []string
		for _, sample := range list {
			if path.Dir(sample.Name) == folder.Name {
				names = append(names, path.Base(sample.Name))
			}
		}
		s.add(folder.Name, folder.About, strings.Join(names, ", "))
	}
	s.print(a.text, a.columns())
	return nil
}

func (a *app) samplesWriteCommand() *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use:   "write NAME... -o FOLDER",
		Short: "Write programs that ship with hyptx: manifests and PTX",
		Long: "Write the manifests of programs, and the PTX that they name, into a folder that is made\n" +
			"if it is not there. A name is FOLDER/PROGRAM as in the list of `hyptx samples`, or a pattern.",
		Example: "  hyptx samples write hypa/resnet50 -o samples\n  hyptx samples write 'hypa/efficientnet*' 'kernels/*' -o samples",
		Args:    cobra.MinimumNArgs(1),
		ValidArgsFunction: completeNames(func() (names []string) {
			list, _ := shipped.List()
			for _, s := range list {
				names = append(names, s.Name)
			}
			return names
		}),
		RunE: func(_ *cobra.Command, args []string) error {
			if folder == "-" {
				return usagef(errFolder)
			}
			return a.writeSamples(args, folder)
		},
	}
	c.Flags().StringVarP(&folder, "output", "o", ".", "write into this `folder`")
	return c
}

// sampleFiles are the files of the programs that names and patterns mean.
func sampleFiles(names ...string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range names {
		list, err := shipped.Matching(name)
		if err != nil {
			return nil, usageError{err} // no program has this name, whatever is in any file
		}
		for _, s := range list {
			if err := s.Files(files); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// writeSamples writes the programs that names and patterns mean, and tells their manifests.
func (a *app) writeSamples(names []string, folder string) error {
	files, err := sampleFiles(names...)
	if err != nil {
		return err
	}
	if err := a.writeFiles(files, folder); err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(p) == ".json" {
			a.say("%s", filepath.Join(folder, filepath.FromSlash(p)))
		}
	}
	return nil
}

// writeFiles writes files into a folder.
func (a *app) writeFiles(files map[string][]byte, folder string) error {
	for p, text := range files {
		to := filepath.Join(folder, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return textfile.PlainError(err)
		}
		if err := a.write(to, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
	}
	return nil
}
