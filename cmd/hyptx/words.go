package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// The words of messages. The library names its options without knowing how a
// user sets them; here they become flags. cobra's own errors name types of Go
// and several lines of usage; here they become one line that says what would be
// right.

// plural writes a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// option is how the library names one of its options in a message: it does not
// know how the caller's user sets it.
var option = regexp.MustCompile(`\boption ([a-z]+(?:-[a-z]+)*)`)

// spellFlags writes the options of a message as our flags.
func spellFlags(text string) string { return option.ReplaceAllString(text, "--$1") }

// argumentError says in our words that a command got the wrong arguments.
func argumentError(c *cobra.Command, args []string) error {
	name := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
	return usageError{fmt.Errorf("%s: %s given; usage: %s", name, plural(len(args), "argument"), strings.TrimSuffix(c.UseLine(), " [flags]"))}
}

// flagError says in our words what is wrong with a flag.
func flagError(c *cobra.Command, err error) error {
	var (
		invalid *pflag.InvalidValueError
		unknown *pflag.NotExistError
		bare    *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		why := map[string]string{
			"int": "must be a whole number", "int64": "must be a whole number", "float64": "must be a number",
			"bool": "must be true or false", "duration": "must be a time such as 30s or 5m", "intSlice": "must be whole numbers, with commas between them",
		}[f.Value.Type()]
		if why == "" {
			why = invalid.Unwrap().Error()
		}
		err = fmt.Errorf("--%s %s: %s", f.Name, invalid.GetValue(), why)
	case errors.As(err, &unknown):
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		err = fmt.Errorf("unknown flag %s%s; `%s --help` lists the flags", dashes, unknown.GetSpecifiedName(), c.CommandPath())
	case errors.As(err, &bare):
		err = fmt.Errorf("--%s needs a value", bare.GetFlag().Name)
	}
	return usageError{err}
}

// columns is how wide text may be: as the terminal is; where there is none as
// COLUMNS says, else 80 columns.
func (a *app) columns() int {
	const least = 40
	if f, ok := a.stdout.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > least {
			return w
		}
	}
	if w, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && w > least {
		return w
	}
	return 80
}

// isTerminal reports whether what a command prints is read from a terminal.
func (a *app) isTerminal() bool {
	f, ok := a.stdout.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
