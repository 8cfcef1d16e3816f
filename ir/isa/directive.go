package isa

import "fmt"

// What stands around instructions has versions and targets, too: directives, attributes of
// declarations, linkages, and the types that something may be declared of.

// declared is such a word: since when it is there, and where the manual says so.
type declared struct {
	since   string // as in a row of the table: "7.8/90"
	section string
}

// declarations are the words that PTX 1.0 did not have, without their dots.
var declarations = map[string]declared{
	"address_size":         {"2.3", "11.1.3"},
	"alias":                {"6.3/30", "11.2.3"},
	"branchtargets":        {"2.1/20", "11.3.1"},
	"calltargets":          {"2.1/20", "11.3.2"},
	"callprototype":        {"2.1/20", "11.3.3"},
	"maxnreg":              {"1.3", "11.4.1"},
	"maxntid":              {"1.3", "11.4.2"},
	"reqntid":              {"2.1", "11.4.3"},
	"minnctapersm":         {"2.0", "11.4.4"},
	"maxnctapersm":         {"1.3", "11.4.5"},
	"noreturn":             {"6.4/30", "11.4.6"},
	"pragma":               {"2.0", "11.4.7"},
	"abi_preserve":         {"9.0/80", "11.4.8"},
	"abi_preserve_control": {"9.0/80", "11.4.9"},
	"minperctamemory":      {"9.4/80", "11.4.10"},
	"weak":                 {"3.1", "11.6.3"},
	"common":               {"5.0/20", "11.6.4"},
	"reqnctapercluster":    {"7.8/90", "11.7.1"},
	"explicitcluster":      {"7.8/90", "11.7.2"},
	"maxclusterrank":       {"7.8/90", "11.7.3"},
	"blocksareclusters":    {"9.0/90", "11.8.1"},
	"language":             {"9.3", "11.8.2"},
	"managed":              {"4.0/30", "5.4.8"},
	"unified":              {"8.0/90", "5.4.8"},
	"ptr":                  {"2.2", "5.1.6.3"},
	"b128":                 {"8.3/70", "5.2.1"},
	"f16x2":                {"4.2/53", "5.2.1"},
	"texref":               {"1.5", "5.3"},
	"samplerref":           {"1.5", "5.3"},
	"surfref":              {"1.5", "5.3"},
}

// CheckDeclaration returns an error if a module of the given PTX version (major*100+minor) and
// target cannot have the word, which is written with a dot before it.
func CheckDeclaration(word string, ptx int, t Target) error {
	d, ok := declarations[word]
	if !ok {
		return nil
	}
	need := (&rowParser{row: &row{syntax: word}}).need(d.since)
	if err := need.check(ptx, t); err != nil {
		return fmt.Errorf(".%s %w (PTX ISA %s)", word, err, d.section)
	}
	return nil
}
