package gpu

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func text(t testing.TB, name string) string {
	t.Helper()
	b, err := data.ReadFile("data/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRoundTrip: a GPU written as JSON reads as itself.
func TestRoundTrip(t *testing.T) {
	for _, g := range embedded() {
		b, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Read("back.json", b)
		if err != nil || !reflect.DeepEqual(g, back) {
			t.Errorf("%s: %v", g.Name, err)
		}
	}
}

// TestBadFile changes one thing of a good file.
func TestBadFile(t *testing.T) {
	good := text(t, "gv100")
	const src = `, "source": "s"}`
	sms := `"sms": {"value": 80, "source": "NVIDIA Quadro GV100 data sheet"}`
	if !strings.Contains(good, sms) {
		t.Fatal("gv100.json has changed; change the test")
	}
	set := func(v string) string { return strings.Replace(good, sms, `"sms": `+v, 1) }
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "my.json:1:1: not valid JSON"},
		{"NaN", set(`{"value": NaN` + src), "my.json:9:20: not valid JSON: invalid character 'N'"},
		{"NaN as text", set(`{"value": "NaN"` + src), `my.json: sms.value: must be a number, not the string "NaN"`},
		{"negative", set(`{"value": -1` + src), "my.json: sms.value: must be positive, not -1"},
		{"zero", set(`{"value": 0` + src), "my.json: sms.value: must be positive, not 0"},
		{"fraction", set(`{"value": 1.5` + src), "my.json: sms.value: must be a whole number, not 1.5"},
		{"huge", set(`{"value": 1e400` + src), "my.json: sms.value: 1e400 is beyond every GPU"},
		{"tiny", set(`{"value": 1e-300` + src), "my.json: sms.value: 1e-300 is too small to be true"},
		{"no value", set(`{"source": "s"}`), `my.json: sms: lacks the key "value"`},
		{"no source", set(`{"value": 80}`), `my.json: sms: lacks the key "source"`},
		{"empty source", set(`{"value": 80, "source": " "}`), "my.json: sms.source: must not be empty"},
		{"bare number", set(`80`), `my.json: sms: must be {"value": ..., "source": "..."} or null, not a number`},
		{"value null", set(`{"value": null` + src), `my.json: sms: "value": null: a number that is not known is null as a whole: "sms": null`},
		{"value null in a group", strings.Replace(good, `{"value": 1132,`, `{"value": null,`, 1), `my.json: clock.base_mhz: "value": null: a number that is not known is null as a whole: "base_mhz": null`},
		{"value and no key of the file", strings.Replace(good, sms, sms+`, "-": 1`, 1), `my.json: unknown key "-"; known here: name`},
		{"more in a fact", set(`{"value": 80, "unit": "x"` + src), `my.json: sms: unknown key "unit"; known here: value, source`},
		{"missing", strings.Replace(good, sms+",", "", 1), `my.json: lacks the key "sms"; a number that is not known is null`},
		{"unknown key", strings.Replace(good, sms, sms+`, "smx": 1`, 1), `my.json: unknown key "smx"; known here: name, title`},
		{"unknown nested key", strings.Replace(good, `"tdp_w"`, `"tpd_w"`, 1), `my.json: power: unknown key "tpd_w"; known here: tdp_w, idle_w`},
		{"twice", strings.Replace(good, sms, sms+", "+sms, 1), "my.json: sms: the key stands twice"},
		{"group", strings.Replace(good, `"tuned_mhz": {`, `"tuned_mhz": [{`, 1), "my.json:14:14: not valid JSON"},
		{"list", "[]", "my.json: must be an object, not a list"},
		{"more", good + "{}", "not valid JSON"},
		{"base over boost", strings.Replace(good, `"base_mhz": {"value": 1132`, `"base_mhz": {"value": 1500`, 1), "my.json: clock.base_mhz.value: 1500 is more than clock.boost_mhz, 1447"},
		{"lowest over base", strings.Replace(good, `"min_mhz": {"value": 135`, `"min_mhz": {"value": 1200`, 1), "my.json: clock.min_mhz.value: 1200 is more than clock.base_mhz, 1132"},
		{"boost over highest", strings.Replace(good, `"max_mhz": {"value": 1530`, `"max_mhz": {"value": 1400`, 1), "my.json: clock.boost_mhz.value: 1447 is more than clock.max_mhz, 1400"},
		{"capability of letters", strings.Replace(good, `"value": "7.0"`, `"value": "abc"`, 1), `my.json: compute_capability.value: "abc": must be two numbers with a dot, as 7.0`},
		{"negative capability", strings.Replace(good, `"value": "7.0"`, `"value": "-1.0"`, 1), `my.json: compute_capability.value: "-1.0"`},
		{"capability of zero", strings.Replace(good, `"value": "7.0"`, `"value": "0.0"`, 1), `my.json: compute_capability.value: "0.0"`},
		{"capability of one number", strings.Replace(good, `"value": "7.0"`, `"value": "7"`, 1), `my.json: compute_capability.value: "7"`},
		{"warps of AMD", strings.Replace(good, `"warp_threads": {"value": 32`, `"warp_threads": {"value": 64`, 1), "my.json: limits.warp_threads.value: must be 32, or 64 if the vendor is AMD, not 64"},
		{"sector", strings.Replace(good, `"sector_bytes": {"value": 32`, `"sector_bytes": {"value": 48`, 1), "my.json: l1.sector_bytes.value: 48 does not divide l1.line_bytes, 128"},
		{"ways", strings.Replace(good, `"ways": {"value": 256`, `"ways": {"value": 300`, 1), "my.json: l1.ways.value: 300 ways x 128 bytes a line do not divide l1.bytes, 131072"},
		{"policy", strings.Replace(good, `"write-back"`, `"copy-back"`, 1), `my.json: l2.write_policy.value: "copy-back": must be one of write-through,`},
		{"configurations", strings.Replace(good, `[0, 8192,`, `[8192, 0,`, 1), "my.json: shared.configurations_bytes.value: must be a list in ascending order"},
		{"measured over theoretical", strings.Replace(good, `"measured_bytes_per_clock": {"value": 125.4`, `"measured_bytes_per_clock": {"value": 200`, 1), "my.json: l1.measured_bytes_per_clock.value: 200 is more than l1.bytes_per_clock, 128"},
		{"control", strings.Replace(good, `"Volta"`, `"Vol\u001bta"`, 1), "my.json: architecture: must not hold control characters"},
		{"not text", "{\"name\": \"\xff\"}", "my.json: not UTF-8 text"},
		{"deep", strings.Repeat("[", 100) + strings.Repeat("]", 100), "nested more than 8 deep"},
		{"many keys", manyKeys(), `my.json: unknown key "k99999"`},
		{"large", strings.Repeat(" ", maxFileBytes+1), "my.json: more than 1048576 bytes"},
	} {
		_, err := Read("my.json", []byte(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.300v\nwant %s", c.name, err, c.want)
		}
	}
}

// manyKeys is an object that would take long if each key were compared with
// every other. Only the first errors are shown.
func manyKeys() string {
	var b strings.Builder
	b.WriteString("{")
	for i := range 80_000 {
		fmt.Fprintf(&b, "\"k%d\":0,", 99_999-i)
	}
	return b.String() + `"x":0}`
}

// TestUnknownIsNull: a file of nulls is read, and says what it lacks.
func TestUnknownIsNull(t *testing.T) {
	g := &GPU{Name: "x", Title: "x", Aliases: []string{}, Vendor: "x", Architecture: "x"}
	b, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	g, err = Read("x.json", b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Rates(); err == nil || err.Error() != "GPU x: units.fp32_per_clock is unknown (null or nothing in its file); `hyptx gpus x --json` prints a file to fill in" {
		t.Errorf("%v", err)
	}
}

func TestList(t *testing.T) {
	t.Chdir(t.TempDir())
	mine := strings.Replace(text(t, "t4"), `"name": "t4"`, `"name": "mine"`, 1)
	if err := os.WriteFile("my.json", []byte(mine), 0o644); err != nil {
		t.Fatal(err)
	}
	list, err := List("gv100, A100,my.json")
	if err != nil || len(list) != 3 || list[2].Name != "mine" {
		t.Errorf("%v, %v", list, err)
	}
	// A copy that kept its name is told apart by its file.
	if err := os.WriteFile("copy.json", []byte(text(t, "t4")), 0o644); err != nil {
		t.Fatal(err)
	}
	list, err = List("t4,copy.json")
	if err != nil || len(list) != 2 || list[0].Label() != "t4" || list[1].Label() != "t4 (copy.json)" || list[1].Name != "t4" {
		t.Errorf("%v, %v", list, err)
	}
	for spec, want := range map[string]string{
		"my.json,./my.json": "the list of GPUs has mine twice: if ./my.json is another GPU, change `name` in it",
		"":                  "has an empty name",
		"gv100,":            "has an empty name",
		"gv100,qv100":       "has gv100 twice",
		"gv100,b100":        `no GPU is known by the name "b100"`,
		"gv100,none.json":   "cannot read the GPU's file",
	} {
		if _, err := List(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", spec, err, want)
		}
	}
	if _, err := Get(filepath.Join(t.TempDir(), "no", ".json")); err == nil {
		t.Error("no file: no error")
	}
}

// FuzzRead: no input makes it crash, and what is read can be written and read.
func FuzzRead(f *testing.F) {
	f.Add([]byte(text(f, "gv100")))
	f.Add([]byte(`{"sms": {"value": 1e999}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := Read("f.json", b)
		if err != nil {
			return
		}
		out, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read("f.json", out); err != nil {
			t.Fatal(err)
		}
	})
}
