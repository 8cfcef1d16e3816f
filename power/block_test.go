package power

import (
	"encoding/json"
	"strings"
	"testing"

	"hyptx/internal/gpu"
)

// TestBlockBad: errors name the file and the key, and no types of Go.
func TestBlockBad(t *testing.T) {
	chip := GV100(hw, Release)
	good, err := json.Marshal(newBlock(chip, hw.coefficients(), "a test", 1417, 1000, 1500, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readBlock(&gpu.GPU{PowerModel: good}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{string(good), `7`, "power_model: must be an object, not a number"},
		{string(good), `["a"]`, "power_model: must be an object, not a list"},
		{`"model":"accelwattch"`, `"model":3`, "power_model.model: must be a string, not a number"},
		{`"clock_mhz":1417`, `"clock_mhz":"fast"`, "power_model.clock_mhz: must be a number, not a string"},
		{`"static_sms":80`, `"static_sms":80.5`, "power_model.static_sms: must be a whole number, not number 80.5"},
		{`"factors":{`, `"factors":[],"x":{`, "power_model.factors: must be an object, not a list"},
		{`"model"`, `"modell"`, `power_model: unknown key "modell"`},
		{`"model":"accelwattch"`, `"model":"mcpat"`, `power_model.model is "mcpat": must be "accelwattch"`},
		{`"low_mhz":1000`, `"low_mhz":1600`, "power_model.low_mhz is 1600: must not be above high_mhz, 1500"},
	} {
		text := strings.Replace(string(good), c.old, c.new, 1)
		if text == string(good) {
			t.Fatalf("no %s", c.old)
		}
		for file, where := range map[string]string{"my.json": "my.json: ", "": "GPU gv100: "} {
			_, err := readBlock(&gpu.GPU{Name: "gv100", File: file, PowerModel: json.RawMessage(text)})
			if err == nil || err.Error() != where+c.want {
				t.Errorf("%v, want %s%s", err, where, c.want)
			}
		}
	}
}
