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

// look is how figures of that format are drawn.
func (f *themeFlag) look(format string) figure.Look {
	return figure.Look{Format: format, Theme: figure.Theme(f.theme)}
}
