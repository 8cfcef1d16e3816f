// A stand-in for libnvidia-ml: one board whose readings come from the
// environment. FAIL names a call that fails, with the code FAIL_CODE.
#include <stdlib.h>
#include <string.h>

typedef unsigned long long u64;

static int answer(const char *call) {
    const char *fail = getenv("NVML_FAIL"), *code = getenv("NVML_FAIL_CODE");
    return fail && *fail && strcmp(fail, call) == 0 ? (code ? atoi(code) : 999) : 0;
}

static int copy(const char *call, const char *text, char *to, unsigned n) {
    strncpy(to, text, n);
    return answer(call);
}

static u64 number(const char *name, u64 otherwise) {
    const char *s = getenv(name);
    return s && *s ? strtoull(s, 0, 10) : otherwise;
}

int nvmlInit_v2(void) { return answer("nvmlInit_v2"); }
int nvmlShutdown(void) { return answer("nvmlShutdown"); }
const char *nvmlErrorString(int code) { return code == 3 ? "Not Supported" : code == 4 ? "Insufficient Permissions" : code == 6 ? "Not Found" : "Unknown Error"; }
int nvmlSystemGetDriverVersion(char *to, unsigned n) { return copy("nvmlSystemGetDriverVersion", "550.54.15", to, n); }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **d) {
    *d = (void *)1;
    return strcmp(uuid, "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f") ? 6 : answer("nvmlDeviceGetHandleByUUID");
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **d) {
    *d = (void *)1;
    return strcmp(id, "00000000:1b:00.0") ? 6 : answer("nvmlDeviceGetHandleByPciBusId_v2");
}
int nvmlDeviceGetName(void *d, char *to, unsigned n) { return copy("nvmlDeviceGetName", "Stand-in GPU", to, n); }
int nvmlDeviceGetUUID(void *d, char *to, unsigned n) { return copy("nvmlDeviceGetUUID", "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", to, n); }
int nvmlDeviceGetPowerUsage(void *d, unsigned *mw) { *mw = number("NVML_MW", 123456); return answer("nvmlDeviceGetPowerUsage"); }
int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *mw) { *mw = 700000; return answer("nvmlDeviceGetEnforcedPowerLimit"); }
int nvmlDeviceGetTotalEnergyConsumption(void *d, u64 *mj) { *mj = number("NVML_MJ", 5000); return answer("nvmlDeviceGetTotalEnergyConsumption"); }
int nvmlDeviceGetTemperature(void *d, int sensor, unsigned *c) { *c = 65 + sensor; return answer("nvmlDeviceGetTemperature"); }
int nvmlDeviceGetClockInfo(void *d, int which, unsigned *mhz) { *mhz = which == 1 ? 1980 : which == 2 ? 2619 : 0; return answer("nvmlDeviceGetClockInfo"); }
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, u64 *why) { *why = number("NVML_WHY", 0); return answer("nvmlDeviceGetCurrentClocksThrottleReasons"); }
int nvmlDeviceGetEccMode(void *d, int *now, int *pending) { *now = 1; *pending = 0; return answer("nvmlDeviceGetEccMode"); }
int nvmlDeviceSetGpuLockedClocks(void *d, unsigned low, unsigned high) { return low == high ? answer("nvmlDeviceSetGpuLockedClocks") : 2; }
int nvmlDeviceResetGpuLockedClocks(void *d) { return answer("nvmlDeviceResetGpuLockedClocks"); }
