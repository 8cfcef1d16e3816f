package scalemodel

import (
	"strings"
	"testing"
)

const dctIPC = "bench,size,ipc,real\ndct,8,112.7412,\ndct,128,,4003.711\ndct,16,226.4367,\ndct,32,,\ndct,64,,\n"

// TestReadIPC: sizes are put in order, and what is not known stays so.
func TestReadIPC(t *testing.T) {
	all, err := ReadIPC("ipc.csv", []byte(dctIPC), Strong)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	w := all[0]
	if w.Sizes[4] != 128 || w.IPC[4].X != 4003.711 || w.IPC[2].Known || w.IPC[1].X != 226.4367 {
		t.Errorf("%+v", w)
	}
	mpki := "bench,size,mpki\ndct,8,6.1669\ndct,16,6.1787\ndct,32,6.1626\ndct,64,5.5243\ndct,128,0.1005\n"
	if err := ReadMPKI("mrc.csv", []byte(mpki), all, 0); err != nil {
		t.Fatal(err)
	}
	rows, warning, err := w.Rows([]Method{Tool}, RatioDetector, "user")
	if err != nil || warning != "" || len(rows) != 3 || rows[2].CliffAt.N != 128 || rows[2].IPCPred.Known || rows[2].IPCLow == rows[2].IPCHigh || rows[2].ClassReal != SuperLinear {
		t.Errorf("%+v, %q, %v", rows[2], warning, err)
	}
	w.MPKI = nil
	capacities := strings.NewReplacer("size", "llc_bytes", ",8,", ",1000,", ",16,", ",2000,", ",32,", ",4000,", ",64,", ",8000,", ",128,", ",16000,").Replace(mpki) + "dct,16001,9\n"
	if err := ReadMPKI("mrc.csv", []byte(capacities), all, 1000); err != nil || len(w.MPKI) != 5 || w.MPKI[4] != 0.1005 {
		t.Error(w.MPKI, err)
	}
}

// TestReadBad: each mistake is named.
func TestReadBad(t *testing.T) {
	for _, c := range []struct{ ipc, mpki, want string }{
		{"bench,size,ipc\na,8,1\na,16,2\n", "", "a: 2 sizes: two scale models and at least one target are needed"},
		{"bench,size,ipc\na,8,1\na,16,\na,32,\n", "", "a: the IPC of size 16 is unknown"},
		{"bench,size,ipc\na,8,1\na,8,2\na,32,\n", "", "must be positive and ascend"},
		{"bench,size,ipc\na,8,-1\na,16,2\na,32,\n", "", "IPC of -1: must be above 0"},
		{"bench,size,ipc\na,8,x\na,16,2\na,32,\n", "", "line 2"},
		{"bench,size,ipc,speed\na,8,x,1\n", "", `unknown column "speed"`},
		{dctIPC, "bench,size,mpki\ndct,8,1\n", "no MPKI of size 16"},
		{dctIPC, "bench,size,mpki\nfft,8,1\n", "fft: no such workload"},
		{dctIPC, "bench,llc_bytes,mpki\ndct,8,1\n", "capacities and no sizes"},
	} {
		all, err := ReadIPC("in.csv", []byte(c.ipc), Strong)
		if err == nil && c.mpki != "" {
			err = ReadMPKI("in.csv", []byte(c.mpki), all, 0)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "in.csv: ") {
			t.Errorf("%q: %v, want %s", c.ipc, err, c.want)
		}
	}
}
