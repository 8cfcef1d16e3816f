package main

import "strings"

// paper is a published work.
type paper struct {
	Name, Title string
	Parts       []paperPart
}

// paperPart is what is repeated together.
type paperPart struct {
	Name string
	// Shows are the tables and figures.
	Shows string
	// Samples are programs that ship with hyptx, and Commands hyptx's own that repeat it:
	// {samples} is the folder of these programs, {out} the part's, {data} the user's (see
	// Needs), {format} and {theme} are the figures'.
	Samples, Commands []string
	// SmallSamples and Small are the same at a small size; none where that is no different.
	SmallSamples, Small []string
	// Seconds is how long it takes two cores, about.
	Seconds int
	// Needs says what data the user has to have, "" for none.
	Needs string
}

// needed returns the programs and the command lines of a part, word by word.
func (p *paperPart) needed(small bool, places map[string]string) (samples []string, commands [][]string) {
	samples, lines := p.Samples, p.Commands
	if small && p.Small != nil {
		samples, lines = p.SmallSamples, p.Small
	}
	for _, line := range lines {
		var words []string
		for _, w := range strings.Fields(line) {
			for name, place := range places {
				w = strings.ReplaceAll(w, "{"+name+"}", place)
			}
			words = append(words, w)
		}
		commands = append(commands, words)
	}
	return samples, commands
}

// inBenchmarks are programs of the folder benchmarks, with an ending, as samples and as
// words of a command line.
func inBenchmarks(ending string, names ...string) (samples []string, words string) {
	for _, n := range names {
		samples = append(samples, "benchmarks/"+n+ending)
		words += " {samples}/benchmarks/" + n + ending + ".json"
	}
	return samples, words
}
