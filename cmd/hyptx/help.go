package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Help. cobra lays it out; what it would print as it stands in the source is
// folded here to the width of the terminal: prose by paragraphs (so where a line
// ends in the source does not matter), lists below themselves, examples with a
// backslash at the line's end, so that they can be copied into a shell as they
// are. Every command has an example, also the two that cobra makes itself.

// prose folds a command's description. A line that begins with a blank is an
// item of a list, `term  meaning`, or a command to be typed; other lines are
// those of a paragraph, which a blank line ends.
func prose(text string, width int) string {
	var out, paragraph []string
	flush := func() {
		if paragraph != nil {
			out = append(out, foldWords(strings.Join(paragraph, " "), width, "")...)
			paragraph = nil
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			flush()
			out = append(out, "")
		case line[0] == '\t':
			flush()
			out = append(out, "    "+strings.TrimSpace(line))
		case line[0] == ' ':
			flush()
			term, meaning, _ := strings.Cut(strings.TrimSpace(line), "  ")
			head := "  " + term + strings.Repeat(" ", len(line)-len(strings.TrimLeft(meaning, " "))-2-len(term))
			out = append(out, hanging(head, meaning, width)...)
		default:
			paragraph = append(paragraph, line)
		}
	}
	flush()
	return strings.Join(out, "\n")
}

// hanging folds a text behind a head, and below itself.
func hanging(head, text string, width int) []string {
	lines := foldWords(text, width-len(head), "")
	for i := range lines {
		lines[i] = head + lines[i]
		head = strings.Repeat(" ", len(head))
	}
	return lines
}

// examples folds command lines, each as a shell takes it.
func examples(text string, width int) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) <= width {
			out = append(out, line)
			continue
		}
		out = append(out, "  "+strings.Join(foldWords(line, width-len("   \\"), "    "), " \\\n  "))
	}
	return strings.Join(out, "\n")
}

// setHelp makes cobra print help in our layout. cobra's own templates are changed
// in place and not written anew, so that what else cobra puts there (aliases,
// groups, the hint at the end) comes along with its next version. What is asked for on a terminal
// fits that terminal, anything else 80 columns.
func (a *app) setHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("wrapped", func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(a.columns()) })
	cobra.AddTemplateFunc("prose", func(text string) string { return prose(text, a.columns()) })
	cobra.AddTemplateFunc("examples", func(text string) string { return examples(text, a.columns()) })
	cobra.AddTemplateFunc("entry", func(name string, padding int, short string) string {
		return strings.Join(hanging(fmt.Sprintf("%-*s ", padding+2, "  "+name), short, a.columns()), "\n")
	})
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), ". | trimTrailingWhitespaces", "prose .", 1))
	root.SetUsageTemplate(strings.NewReplacer(
		".LocalFlags.FlagUsages", "wrapped .LocalFlags", ".InheritedFlags.FlagUsages", "wrapped .InheritedFlags",
		"{{.Example}}", "{{examples .Example}}", "  {{rpad .Name .NamePadding }} {{.Short}}", "{{entry .Name .NamePadding .Short}}",
	).Replace(root.UsageTemplate()))
	root.SetVersionTemplate("hyptx {{.Version}}\n")
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Run, c.RunE, c.Example = nil, help, "  hyptx help profile\n  hyptx help power tune"
		case "completion":
			c.Short = "Print a shell's completion script"
			c.Example = "  source <(hyptx completion bash)\n  hyptx completion zsh > ~/.zfunc/_hyptx"
		}
	}
}

// help is `hyptx help COMMAND`. cobra's own prints what it does not know to
// standard output and exits with 0; a script would take that for an answer.
func help(c *cobra.Command, args []string) error {
	of, rest, err := c.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return unknownCommand(of, rest)
	}
	of.InitDefaultHelpFlag()
	of.InitDefaultVersionFlag()
	return of.Help()
}

// usageArgs makes the errors that cobra finds in the arguments of a command
// and those below it usage errors. A command that only holds others shows its
// help, or fails for one that it has not.
func usageArgs(c *cobra.Command) {
	for _, sub := range c.Commands() {
		usageArgs(sub)
	}
	check := c.Args
	if c.HasSubCommands() && !c.Runnable() {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		c.Args = unknownCommand
		return
	}
	if check == nil {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if check(c, args) != nil {
			return argumentError(c, args)
		}
		return nil
	}
}

// unknownCommand is the error for a subcommand that there is not, with the
// nearest name that there is.
func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	hint := fmt.Sprintf("`%s --help` lists the commands", c.CommandPath())
	if s := c.SuggestionsFor(args[0]); len(s) > 0 {
		hint = "did you mean " + strings.Join(s, " or ") + "?"
	}
	return usagef("unknown command %q; %s", args[0], hint)
}
