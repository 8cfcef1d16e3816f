package manifest

import (
	"encoding/hex"
	"fmt"
	"strings"

	"hyptx/internal/strictjson"
)

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
	var s strings.Builder
	whose := "its"
	if k := e.Kernels; len(k) == 1 {
		fmt.Fprintf(&s, "%s has no parameter %s; ", k[0], strictjson.Quoted(e.Name))
	} else {
		whose = k[0] + "'s"
		fmt.Fprintf(&s, "the kernels %s have no parameter %s; ", listNames(k), strictjson.Quoted(e.Name))
	}
	if len(e.Params) == 0 {
		fmt.Fprintf(&s, "%s parameters are none", whose)
		return s.String()
	}
	names := make([]string, len(e.Params))
	for i, p := range e.Params {
		names[i] = fmt.Sprintf("%d: %s (%s)", i, p.Name, p.describe())
	}
	fmt.Fprintf(&s, "%s parameters are %s; a position works, too: option arg 0=...", whose, listNames(names))
	return s.String()
}
