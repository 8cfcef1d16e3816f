package main

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
)

// packedProgram loads a tile of numbers of 4 or 6 bits by a tensor map, writes shared memory down,
// and with stores lets the tile go back to another tensor.
const packedProgram = `.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 bytes, .param .u32 expected, .param .align 64 .b8 from[128], .param .align 64 .b8 to[128])
{
	.shared .align 128 .b8 tile[1024];
	.shared .align 8 .b64 bar;
	.reg .b64 %m, %n, %o, %s;
	.reg .b32 %t, %b, %x, %v, %e;
	.reg .pred %p, %q;
	mov.u32 %t, %tid.x;
	mov.u32 %b, bar;
	mov.u32 %x, tile;
	mov.b64 %m, from;
	cvta.param.u64 %m, %m;
	mov.b64 %n, to;
	cvta.param.u64 %n, %n;
	setp.eq.u32 %p, %t, 0;
	@!%p bra WAIT;
	mbarrier.init.shared.b64 [%b], 1;
	fence.mbarrier_init.release.cluster;
	ld.param.u32 %e, [expected];
	mbarrier.arrive.expect_tx.shared.b64 %s, [%b], %e;
	mov.u32 %v, 0;
	cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%x], [%m, {%v, %v}], [%b];
WAIT:
	bar.sync 0;
LOOP:
	mbarrier.try_wait.parity.shared.b64 %q, [%b], 0;
	@!%q bra LOOP;
	ld.param.u64 %o, [out];
	mul.wide.u32 %s, %t, 4;
	add.u64 %o, %o, %s;
	mad.lo.u32 %x, %t, 4, %x;
	ld.param.u32 %e, [bytes];
	shl.b32 %v, %t, 2;
	setp.lt.u32 %q, %v, %e;
	ld.shared.u32 %v, [%x];
	@%q st.global.u32 [%o], %v;
	STORE
	ret;
}
`

const packedStore = `bar.sync 0;
	fence.proxy.async.shared::cta;
	@!%p bra DONE;
	mov.u32 %x, tile;
	mov.u32 %v, 0;
	cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%n, {%v, %v}], [%x];
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;
DONE:`

// TestPackedTensors holds tiles of numbers of 4 and 6 bits against the manual's words (PTX ISA
// 5.5.1.1): sixteen of them are 8 or 12 bytes in global memory and with padding 16 in shared
// memory; of those of 6 bits that are stored the upper two of each byte go.
func TestPackedTensors(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "load.ptx", strings.Replace(packedProgram, "STORE", "", 1))
	put(t, "store.ptx", strings.Replace(packedProgram, "STORE", packedStore, 1))
	var global []byte
	for i := range 192 {
		global = append(global, byte(37*i+11))
	}
	for _, c := range []struct {
		typ, module    string
		packed, padded int // bytes of sixteen
		row            int // numbers
	}{
		{"b4x16", "store.ptx", 8, 8, 64}, {"b4x16_p64", "load.ptx", 8, 16, 128}, {"b6x16_p32", "store.ptx", 12, 16, 128},
	} {
		const rows = 2
		bytesOf := c.row / 16 * c.packed
		shared := rows * c.row / 16 * c.padded
		put(t, "m.json", fmt.Sprintf(`{"version": 1, "buffers": {"a": {"bytes": %d, "type": "u8", "init": {"values": %s}},
"out": {"bytes": %d, "type": "u8", "init": "zero"}, "back": {"bytes": %d, "type": "u8", "init": "zero"}},
"tensorMaps": {"a": {"buffer": "a", "type": %q, "dims": [%d, %d], "stridesBytes": [%d], "box": [%d, %d], "elementStrides": [1, 1]},
"back": {"buffer": "back", "type": %[5]q, "dims": [%d, %d], "stridesBytes": [%d], "box": [%d, %d], "elementStrides": [1, 1]}},
"launches": [{"module": %q, "kernel": "k", "grid": [1], "block": [128],
"args": [{"buffer": "out"}, {"value": %d}, {"value": %d}, {"tensorMap": "a"}, {"tensorMap": "back"}]}], "outputs": ["out", "back"]}`,
			rows*bytesOf, strings.Join(strings.Fields(fmt.Sprint(global[:rows*bytesOf])), ","), shared, rows*bytesOf, c.typ, c.row, rows, bytesOf, c.row, rows, c.module, shared, rows*bytesOf))
		hyptx("run", "m.json", "--dump", "out=out.npy", "--dump", "back=back.npy", "-o", "x.json").must(t, exitDone)
		out, back := dumped(t, "out.npy", shared), dumped(t, "back.npy", rows*bytesOf)
		for n := range rows * c.row / 16 {
			if got, want := out[n*c.padded:][:c.packed], global[n*c.packed:][:c.packed]; !bytes.Equal(got, want) {
				t.Errorf("%s, sixteen number %d: %x, want %x", c.typ, n, got, want)
			}
		}
		want := global[:rows*bytesOf]
		if c.typ == "b6x16_p32" {
			want = sixes(out)
		}
		if c.module == "store.ptx" && !bytes.Equal(back, want) {
			t.Errorf("%s, stored: %x, want %x", c.typ, back, want)
		}
	}
}

// sixes are the lower 6 bits of bytes, the first the lowest, as one number would have them.
func sixes(b []byte) []byte {
	n := new(big.Int)
	for i := len(b) - 1; i >= 0; i-- {
		n.Lsh(n, 6).Or(n, big.NewInt(int64(b[i]&0x3f)))
	}
	out := n.FillBytes(make([]byte, len(b)*6/8))
	slices.Reverse(out)
	return out
}

// dumped returns the last bytes of a file, which are those of an output.
func dumped(t *testing.T, file string, n int) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil || len(b) < n {
		t.Fatal(file, err)
	}
	return b[len(b)-n:]
}
