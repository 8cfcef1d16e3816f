package strictjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Into fills a struct from the one JSON value in a text. Keys that the struct
// lacks are errors. path is where the text lies in its file, for messages.
func Into(text []byte, path string, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return Plain(path, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return at(path, errors.New("something follows the JSON value"))
	}
	return nil
}

// Plain says what encoding/json found wrong at a path without the types of this
// program.
func Plain(path string, err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		want := map[reflect.Kind]string{reflect.String: "a string", reflect.Float64: "a number", reflect.Int: "a whole number", reflect.Int64: "a whole number",
			reflect.Slice: "a list", reflect.Bool: "true or false"}[wrong.Type.Kind()]
		if wrong.Field != "" {
			path = strings.TrimPrefix(path+"."+wrong.Field, ".")
		}
		return at(path, fmt.Errorf("must be %s, not %s", cmp.Or(want, "an object"), cmp.Or(articles[wrong.Value], wrong.Value)))
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return at(path, fmt.Errorf("unknown key %s", key))
	}
	return at(path, err)
}

// articles are encoding/json's words for values, and ours.
var articles = map[string]string{"bool": "true or false", "number": "a number", "string": "a string", "array": "a list", "object": "an object"}

// at gives an error its path, if there is one.
func at(path string, err error) error {
	if path == "" {
		return err
	}
	return &Error{Path: path, Err: err}
}
