package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hyptx/internal/figure"
	"hyptx/internal/textfile"
)

// Commands that repeat what a paper shows have many tables and figures. They go to a
// folder, under names of their own, so that what was made of one paper lies together.

// folderFlags are those of such a command: the folder, the figures' format and paper.
type folderFlags struct {
	folder, plot string
	themeFlag
}

// addFolder adds the flags; what is written there, and what is shown in its place.
func (f *folderFlags) addFolder(c *cobra.Command, what, instead string) {
	c.Flags().StringVarP(&f.folder, "output", "o", "", "write "+what+" to this `folder`, which is made if it is not there; without it "+instead)
	choose(c, &f.plot, "plot", "none", "draw the figures to the folder of -o: none, svg, png or pdf", "none", "svg", "png", "pdf")
	f.addTheme(c)
}

// errFolder is why standard output is no folder.
const errFolder = "-o -: several files are written; name a folder"

// draws reports whether figures are drawn.
func (f *folderFlags) draws() bool { return f.plot != "none" }

// checkFolder refuses figures that would go nowhere, and makes the folder.
func (f *folderFlags) checkFolder() error {
	err := refuse(
		refusal{f.draws() && f.folder == "", "--plot " + f.plot + ": -o says which folder the figures go to"},
		refusal{f.undrawn(f.draws()), errUndrawn},
		refusal{f.folder == "-", errFolder})
	if err == nil && f.folder != "" {
		err = textfile.PlainError(os.MkdirAll(f.folder, 0o777))
	}
	return err
}

// in is a file of the folder.
func (f *folderFlags) in(name string) string { return filepath.Join(f.folder, name) }

// picture is a figure that is yet to be drawn.
func (f *folderFlags) picture(name string, draw func(figure.Look) ([]byte, error)) *output {
	return &output{flag: "-o", path: f.in(name + "." + f.plot), as: asPicture, spare: true,
		fill: drawn(func() ([]byte, error) { return draw(f.look(f.plot)) })}
}

// completeNames completes arguments with names, which are asked for when a shell wants
// them.
func completeNames(names func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveNoFileComp
	}
}

// chosenOf are the experiments that arguments name, all without any.
func chosenOf[E any](all []E, name func(E) string, args []string) (list []E, err error) {
	var names []string
	for _, e := range all {
		names = append(names, name(e))
		if len(args) == 0 || slices.Contains(args, name(e)) {
			list = append(list, e)
		}
	}
	for _, arg := range args {
		if !slices.Contains(names, arg) {
			return nil, usagef("%s: must be %s", arg, or(names))
		}
	}
	return list, nil
}
