package isa

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestParseSReg(t *testing.T) {
	for name, want := range map[string]SReg{
		"%tid": SRegTID, "%tid.x": SRegTID, "%tid.z": SRegTID + 2, "%ctaid.g": SRegCTAID + 1, "%laneid": SRegLaneID,
		"%clock64": sregClock64, "%pm7": sregPM0 + 7<<axisBits, "%pm2_64": sregPM0x64 + 2<<axisBits, "%envreg31": sregEnvReg0 + 31<<axisBits,
	} {
		got, ok := ParseSReg(name)
		if !ok || got != want {
			t.Errorf("%s is %d, %v; want %d", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "%", "%tid.q", "%tid.xy", "%tid.", "%laneid.x", "%pm8", "%envreg32", "tid.x", "%r1"} {
		if got, ok := ParseSReg(name); ok {
			t.Errorf("%q is taken for %v", name, got)
		}
	}
	if r := SRegCTAID + 1; r.Base() != SRegCTAID || r.Axis() != 1 || r.String() != "%ctaid.y" || r.Identity() != PerCTA || r.Type() != U32 {
		t.Errorf("%v: base %v, axis %d, identity %d, type %s", r, r.Base(), r.Axis(), r.Identity(), r.Type())
	}
	if id := (SRegTID + 3).Identity(); id != PerLaunch {
		t.Errorf("%%tid.w, which is always 0, has identity %d", id)
	}
	if !sregClock.Volatile() || SRegSMID.Volatile() || SRegTID.Volatile() {
		t.Error("clocks are volatile, places are not")
	}
	if err := sregClusterID.Check(708, Target{SM: 80}); err == nil {
		t.Errorf("%v is taken on sm_80", sregClusterID)
	}
	if err := SRegTID.Check(100, Target{SM: 10}); err != nil {
		t.Error(err)
	}
}

// TestSRegManual: type, components and versions of every special register of
// the manual.
func TestSRegManual(t *testing.T) {
	file, err := os.Open("../../../shared/isa/ptx-isa-sregs.tsv")
	if err != nil {
		t.Skip("../shared/isa is absent")
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, row := range rows[1:] {
		if !strings.HasPrefix(row[0], "%") {
			continue // WARP_SZ
		}
		seen++
		reg, ok := ParseSReg(row[0])
		if !ok {
			t.Errorf("%s is unknown", row[0])
			continue
		}
		info := &sregs[reg>>axisBits]
		typ := reg.Type().String()
		if reg.Components() == 4 {
			typ = ".v4" + typ
		}
		sm := "any"
		if info.minSM > 0 {
			sm = fmt.Sprintf("sm_%d", info.minSM)
		}
		if typ != row[1] || version(info.minPTX) != row[2] || sm != row[3] {
			t.Errorf("%s: %s since PTX %s, %s; want %v", row[0], typ, version(info.minPTX), sm, row[1:4])
		}
	}
	if named := len(sregByName); named != seen {
		t.Errorf("%d special registers, the manual has %d", named, seen)
	}
}
