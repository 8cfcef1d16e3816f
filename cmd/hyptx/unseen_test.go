package main

import (
	"strings"
	"testing"
)

// unseenText has kernels whose memory traffic nobody counts, each for another reason,
// and one of which a guard leaves the fetch out.
const unseenText = `.version 8.0
.target sm_90a
.address_size 64
.global .texref t;
.visible .entry texture(.param .u64 out)
{
	.reg .b32 %r<5>;
	.reg .b64 %d;
	mov.u32 %r0, %tid.x;
	tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [t, {%r0}];
	ld.param.u64 %d, [out];
	st.global.u32 [%d], %r1;
	ret;
}
.visible .entry surface(.param .u64 out)
{
	.reg .b64 %d;
	.reg .b32 %r<2>;
	ld.param.u64 %d, [out];
	mov.u32 %r0, %tid.x;
	suld.b.1d.b32.trap %r1, [%d, {%r0}];
	ret;
}
.visible .entry never(.param .u64 out)
{
	.reg .b32 %r<5>;
	.reg .b64 %d;
	.reg .pred %p;
	mov.u32 %r0, %tid.x;
	setp.gt.u32 %p, %r0, 1000;
	@%p tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [t, {%r0}];
	ld.param.u64 %d, [out];
	st.global.u32 [%d], %r0;
	ret;
}
`

// TestUnseenTraffic: where something is moved that nobody counts, the columns of memory
// are empty, of the launch and of the total, and there is no time and no power; the other
// counts stay.
func TestUnseenTraffic(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", unseenText)
	launch := []string{"k.ptx", "--grid", "4", "--block", "128", "-o", "-"}
	res := hyptx(append([]string{"profile", "--mode", "memory", "--gpu", "h100"}, launch...)...).must(t, exitDone)
	if !strings.Contains(res.errOut, "columns of memory: k.ptx:10: tex moves memory that nobody counts: the traffic is unknown (1 row)") {
		t.Errorf("it says %q", res.errOut)
	}
	for _, row := range readCSV(t, res.out) {
		known := row["kernel"] == "never"
		for _, column := range []string{"global_store_requests", "shared_load_transactions", "bytes_transferred", "footprint_bytes", "gst_efficiency_pct",
			"dram_read_bytes", "l1_write_misses", "memory_exactness"} {
			if (row[column] != "") != known {
				t.Errorf("%s %s: %s is %q", row["kind"], row["kernel"], column, row[column])
			}
		}
		if row["warp_instructions"] == "" || row["exactness"] != "exact" && row["kind"] == "launch" {
			t.Errorf("%s: %s instructions, %s", row["kernel"], row["warp_instructions"], row["exactness"])
		}
	}
	for _, command := range [][]string{{"roofline"}, {"power"}, {"roofline", "--time-model", "analytic"}, {"power", "--time-model", "thesis"}} {
		for _, row := range readCSV(t, hyptx(append(append(command, "--gpu", "h100", "--kernel", "texture"), launch...)...).out) {
			if row["time_us"] != "" || row["power_w"] != "" || row["kind"] == "launch" && !strings.Contains(row["missing"], "tex moves memory that nobody counts") {
				t.Errorf("%s: %s us, %s W, missing %q", command, row["time_us"], row["power_w"], row["missing"])
			}
		}
	}
}
