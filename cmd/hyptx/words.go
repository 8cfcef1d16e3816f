package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The words of messages. The library names its options without knowing how a
// user sets them ("the limit has to be raised with option max-memory": a Go
// program has a field, a user a flag); here they become flags. cobra's own errors name types of Go
// and several lines of usage; here they become one line that says what would be
// right.

// plural writes a number with its noun: 1 launch, 2 launches. Messages count
// things all the time, and "1 launches" reads like a fault.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// or lists choices.
func or(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// option is how the library names one of its options in a message: it does not
// know how the caller's user sets it.
var option = regexp.MustCompile(`\boption ([a-z]+(?:-[a-z]+)*)`)

// spellFlags writes the options of a message as our flags.
func spellFlags(text string) string { return option.ReplaceAllString(text, "--$1") }

// argumentError says in our words that a command got the wrong arguments.
func argumentError(c *cobra.Command, args []string) error {
	name := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
	return usagef("%s: %s given; usage: %s", name, plural(len(args), "argument"), strings.TrimSuffix(c.UseLine(), " [flags]"))
}

// flagError says in our words what is wrong with a flag. pflag's messages name
// Go's functions ("strconv.ParseInt: parsing ...: invalid syntax"); a user wants
// to know what would be right. A value that our own flags refuse (flags.go) has
// the reason already.
func flagError(c *cobra.Command, err error) error {
	var (
		invalid *pflag.InvalidValueError
		unknown *pflag.NotExistError
		bare    *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &invalid):
		f, own := invalid.GetFlag(), ownWords("")
		why := map[string]string{
			"int": "must be a whole number", "int64": "must be a whole number", "uint64": "must be a whole number, not below 0", "float64": "must be a number",
			"bool": "must be true or false", "duration": "must be a time such as 30s or 5m",
			"intSlice": "must be whole numbers, with commas between them", "int64Slice": "must be whole numbers, with commas between them",
		}[f.Value.Type()]
		if errors.As(invalid.Unwrap(), &own) || why == "" { // the library may name the value, too
			why = strings.TrimPrefix(invalid.Unwrap().Error(), strconv.Quote(invalid.GetValue())+": ")
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
