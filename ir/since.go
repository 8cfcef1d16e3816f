package ir

import (
	"fmt"
	"strings"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// What stands around instructions has versions and targets, too: directives, attributes of
// declarations, linkages, and the types that something may be declared of. ptxas refuses a
// module that has them too early, so that it is an error here as well; but what they mean does
// not depend on the version, and --lenient lets them pass with a warning (lenient.go).
//
// The versions are those of the manual's notes on each directive. Words of PTX 1.0 are not
// listed, nor are instructions, whose versions stand in the rows of their forms (ir/isa).

// declared is such a word: since when it is there, and where the manual says so.
type declared struct {
	ptx, sm int // as Module.PTXVersion and Target.SM have them; 0 for any
	section string
}

// declarations are the words that PTX 1.0 did not have, without their dots.
var declarations = map[string]declared{
	"address_size":         {203, 0, "11.1.3"},
	"alias":                {603, 30, "11.2.3"},
	"branchtargets":        {201, 20, "11.3.1"},
	"calltargets":          {201, 20, "11.3.2"},
	"callprototype":        {201, 20, "11.3.3"},
	"maxnreg":              {103, 0, "11.4.1"},
	"maxntid":              {103, 0, "11.4.2"},
	"reqntid":              {201, 0, "11.4.3"},
	"minnctapersm":         {200, 0, "11.4.4"},
	"maxnctapersm":         {103, 0, "11.4.5"},
	"noreturn":             {604, 30, "11.4.6"},
	"pragma":               {200, 0, "11.4.7"},
	"abi_preserve":         {900, 80, "11.4.8"},
	"abi_preserve_control": {900, 80, "11.4.9"},
	"minperctamemory":      {904, 80, "11.4.10"},
	"weak":                 {301, 0, "11.6.3"},
	"common":               {500, 20, "11.6.4"},
	"reqnctapercluster":    {708, 90, "11.7.1"},
	"explicitcluster":      {708, 90, "11.7.2"},
	"maxclusterrank":       {708, 90, "11.7.3"},
	"blocksareclusters":    {900, 90, "11.8.1"},
	"language":             {903, 0, "11.8.2"},
	"managed":              {400, 30, "5.4.8"},
	"unified":              {800, 90, "5.4.8"},
	"ptr":                  {202, 0, "5.1.6.3"},
	"b128":                 {803, 70, "5.2.1"},
	"f16x2":                {402, 53, "5.2.1"},
	"texref":               {105, 0, "5.3"},
	"samplerref":           {105, 0, "5.3"},
	"surfref":              {105, 0, "5.3"},
}

// since reports a word of a declaration that the version or target of the module does not have.
func (l *lowerer) since(pos parser.Pos, word string) {
	d, ok := declarations[word]
	if !ok {
		return
	}
	var needs, has []string
	if l.m.PTXVersion < d.ptx {
		needs = append(needs, fmt.Sprintf("PTX %d.%d", d.ptx/100, d.ptx%100))
		has = append(has, fmt.Sprintf("%d.%d", l.m.PTXVersion/100, l.m.PTXVersion%100))
	}
	if need := (isa.Target{SM: d.sm}); !l.m.Target.Provides(need) {
		needs, has = append(needs, "target "+need.String()), append(has, l.m.Target.String())
	}
	if needs != nil {
		l.overlook(pos, ".%s needs %s, the module has %s (PTX ISA %s)%s",
			word, strings.Join(needs, " and "), strings.Join(has, " and "), d.section, l.lenientHint())
	}
}
