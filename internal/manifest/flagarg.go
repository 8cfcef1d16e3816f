package manifest

import (
	"encoding/hex"
	"fmt"
	"strings"

	"hyptx/internal/strictjson"
)

// An argument for a bare file is name=value. The name may be a position, as those
// that compilers make up (_Z3addPKfS0_Pfi_param_3) are nothing to type; a parameter
// whose name is a number is still found by it first. The value is a number as in a
// manifest, hex: and bytes, or @ and a file for what a pointer points to.

// flagArg is an argument of [Flags]: whose it is, and a number, bytes or a file.
type flagArg struct {
	key   string
	value Number
	data  []byte
	file  string
}

// argumentPath begins the path of an argument that [Flags] gives: it stands in
// no file.
const argumentPath = "option arg "

// at is the path of a part of an argument; one that Flags gives has no parts.
func (a *Arg) at(key string) string {
	if strings.HasPrefix(a.Path, argumentPath) {
		return a.Path
	}
	return strictjson.KeyPath(a.Path, key)
}

// CheckFlagArg returns what is wrong with an argument of [Flags], whatever the
// kernel.
func CheckFlagArg(s string) error {
	_, err := parseFlagArg(s)
	return err
}

func parseFlagArg(s string) (a flagArg, err error) {
	key, value, ok := strings.Cut(s, "=")
	if a.key = key; !ok || key == "" || value == "" || value == "@" {
		return a, fmt.Errorf("must be name=value, position=value, name=hex:00ff or name=@file.npy")
	}
	if file, ok := strings.CutPrefix(value, "@"); ok {
		a.file = file
		return a, nil
	}
	if digits, ok := strings.CutPrefix(value, "hex:"); ok {
		if a.data, err = hex.DecodeString(digits); err != nil || len(a.data) == 0 {
			return a, fmt.Errorf("hex: takes pairs of hexadecimal digits, the bytes in memory order")
		}
		return a, nil
	}
	a.value, err = ParseNumber(value)
	return a, err
}

// NoParamError says that kernels have no parameter of a name.
type NoParamError struct {
	// Kernels are the kernels that lack it, Name the parameter.
	Kernels []string
	Name    string
	// Params are the parameters of the first kernel.
	Params []Param
}

func (e *NoParamError) Error() string {
	who, whose := e.Kernels[0]+" has", "its"
	if len(e.Kernels) > 1 {
		who, whose = "the kernels "+listNames(e.Kernels)+" have", e.Kernels[0]+"'s"
	}
	var names []string
	advice := ""
	for i, p := range e.Params {
		names = append(names, fmt.Sprintf("%d: %s (%s)", i, p.Name, p.describe()))
		advice = "; a position works, too: option arg 0=..."
	}
	return fmt.Sprintf("%s no parameter %s; %s parameters are %s%s", who, strictjson.Quoted(e.Name), whose, listNames(names), advice)
}
