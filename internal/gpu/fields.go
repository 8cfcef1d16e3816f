package gpu

import (
	"encoding/json"
	"reflect"
	"strings"

	"hyptx/internal/strictjson"
)

// Field is one number of a GPU's file, for tables.
type Field struct {
	Path   string // "latency.dram_cycles"
	Value  string // "unknown" if it is
	Unit   string // "" for counts
	Source string // "" for unknown ones
}

// Fields returns all numbers of a GPU in the order of its file.
func (g *GPU) Fields() []Field { return fields(reflect.ValueOf(g).Elem(), "") }

func fields(v reflect.Value, path string) []Field {
	var list []Field
	for i := range v.NumField() {
		at := strictjson.KeyPath(path, v.Type().Field(i).Tag.Get("json"))
		switch f := v.Field(i).Interface().(type) {
		case interface {
			text() string
			source() string
		}:
			list = append(list, Field{at, f.text(), unit(at), f.source()})
		case string, []string, json.RawMessage, Given, *Chiplets, Stalls:
		default:
			list = append(list, fields(v.Field(i), at)...)
		}
	}
	return list
}

// units are the endings of fields and what they mean.
var units = []struct{ ending, unit string }{
	{"_gb_per_s", "GB/s"}, {"_per_clock", "a clock"}, {"_bytes", "bytes"}, {".bytes", "bytes"}, {"_cycles", "cycles"},
	{"_gflops", "GFLOPS"}, {"_tflops", "TFLOPS"}, {"_giops", "GIOPS"}, {"_gops", "GOPS"},
	{"_mhz", "MHz"}, {"_nm", "nm"}, {"_us", "us"}, {"_w", "W"}, {"_v", "V"}, {"_ns", "ns"}, {"_per_cycle", "a cycle"},
}

func unit(path string) string {
	for _, u := range units {
		if strings.HasSuffix(path, u.ending) {
			return u.unit
		}
	}
	return ""
}
