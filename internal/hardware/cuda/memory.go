package cuda

// DevicePointer is an address in a GPU's memory.
type DevicePointer uint64

// Alloc reserves device memory, aligned to at least 256 bytes (CUDA C++
// Programming Guide, device memory accesses). The contents are unspecified.
func (c *Context) Alloc(bytes uint64) (DevicePointer, error) {
	var p DevicePointer
	err := c.check("cuMemAlloc_v2", c.driver.api.memAlloc(&p, uintptr(bytes)))
	return p, err
}

// Free gives back what Alloc reserved.
func (c *Context) Free(p DevicePointer) error {
	return c.check("cuMemFree_v2", c.driver.api.memFree(p))
}

// MemoryInfo returns how many bytes of the GPU's memory are free, and how many
// there are.
func (c *Context) MemoryInfo() (free, total uint64, err error) {
	var f, t uintptr
	err = c.check("cuMemGetInfo_v2", c.driver.api.memGetInfo(&f, &t))
	return uint64(f), uint64(t), err
}

// CopyIn copies to the GPU; it has ended when CopyIn returns.
func (c *Context) CopyIn(to DevicePointer, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return c.check("cuMemcpyHtoD_v2", c.driver.api.copyIn(to, &from[0], uintptr(len(from))))
}

// CopyOut copies from the GPU once all earlier launches have ended.
func (c *Context) CopyOut(to []byte, from DevicePointer) error {
	if len(to) == 0 {
		return nil
	}
	return c.check("cuMemcpyDtoH_v2", c.driver.api.copyOut(&to[0], from, uintptr(len(to))))
}

// CopyDevice copies within the GPU's memory; the ranges must not overlap. It
// may return before the copy has ended.
func (c *Context) CopyDevice(to, from DevicePointer, bytes uint64) error {
	return c.check("cuMemcpyDtoD_v2", c.driver.api.copyDevice(to, from, uintptr(bytes)))
}

// Set8 fills device memory with one byte. It may return before that has ended.
func (c *Context) Set8(to DevicePointer, value byte, bytes uint64) error {
	return c.check("cuMemsetD8_v2", c.driver.api.set8(to, value, uintptr(bytes)))
}
