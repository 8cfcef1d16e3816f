package main

import (
	"github.com/spf13/cobra"

	"hyptx/internal/figure"
)

// themeFlag is on which paper figures are drawn.
type themeFlag struct{ theme string }

// addTheme adds the flag.
func (f *themeFlag) addTheme(c *cobra.Command) {
	choose(c, &f.theme, "theme", string(figure.Light), "the figures' paper: light or dark", figure.Themes...)
}

// undrawn reports that there is no figure for the paper that was chosen.
func (f *themeFlag) undrawn(figures bool) bool {
	return !figures && f.theme != string(figure.Light)
}

// errUndrawn is why nothing came of a theme.
const errUndrawn = "--theme has no effect without a figure: --plot draws one"

// look is how figures of that format are drawn.
func (f *themeFlag) look(format string) figure.Look {
	return figure.Look{Format: format, Theme: figure.Theme(f.theme)}
}
