package cuda

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"

	"hyptx/internal/hardware/dl"
)

// logBytes is the room for each of the compiler's two logs.
const logBytes = 32 << 10

// Module is PTX that the driver has compiled for the GPU.
type Module struct {
	// InfoLog is what the compiler had to say, "" for nothing.
	InfoLog string

	c      *Context
	handle uintptr
}

// CompileError is PTX that the driver could not compile.
type CompileError struct {
	// Log is the compiler's error log, "" if it gave none.
	Log string
	// Err is the driver's [Error].
	Err error
}

// Error returns the driver's error and the log.
func (e *CompileError) Error() string {
	if e.Log == "" {
		return e.Err.Error()
	}
	return e.Err.Error() + ": " + e.Log
}

// Unwrap returns the driver's error.
func (e *CompileError) Unwrap() error { return e.Err }

// Load compiles PTX for the GPU and loads it. A [CompileError] holds the
// compiler's log.
func (c *Context) Load(ptx []byte) (*Module, error) {
	if c.Rewrite != nil {
		ptx = c.Rewrite(ptx)
	}
	if bytes.IndexByte(ptx, 0) >= 0 {
		return nil, fmt.Errorf("the PTX holds a zero byte")
	}
	image := append(bytes.Clone(ptx), 0)
	info, errs := make([]byte, logBytes), make([]byte, logBytes)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&info[0])
	pin.Pin(&errs[0])
	keys := []jitOption{jitInfoLog, jitInfoLogBytes, jitErrorLog, jitErrorLogBytes}
	values := []uintptr{dl.Address(&info[0]), logBytes - 1, dl.Address(&errs[0]), logBytes - 1}
	m := &Module{c: c}
	err := c.check("cuModuleLoadDataEx", c.driver.api.moduleLoadDataEx(&m.handle, &image[0], uint32(len(keys)), &keys[0], &values[0]))
	if err != nil {
		return nil, &CompileError{logText(errs), err}
	}
	m.InfoLog = logText(info)
	return m, nil
}

// logText is a log up to its end.
func logText(log []byte) string {
	text, _, _ := bytes.Cut(log, []byte{0})
	return strings.TrimSpace(string(text))
}

// Unload frees the module.
func (m *Module) Unload() error {
	return m.c.check("cuModuleUnload", m.c.driver.api.moduleUnload(m.handle))
}

// Function returns a kernel by its name in the PTX.
func (m *Module) Function(name string) (*Function, error) {
	f := &Function{Name: name, c: m.c}
	if err := m.c.check("cuModuleGetFunction", m.c.driver.api.moduleGetFunction(&f.handle, m.handle, name)); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	return f, nil
}

// Global returns the address and the size in bytes of a module-scope variable
// in .global or .const memory.
func (m *Module) Global(name string) (DevicePointer, uint64, error) {
	var p DevicePointer
	var n uintptr
	err := m.c.check("cuModuleGetGlobal_v2", m.c.driver.api.moduleGetGlobal(&p, &n, m.handle, name))
	if isCode(err, codeNotFound) {
		err = fmt.Errorf("%w; the compiler leaves out a variable that nothing uses unless it is .visible", err)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("variable %s: %w", name, err)
	}
	return p, uint64(n), nil
}

// Function is a kernel in a module.
type Function struct {
	Name string

	c      *Context
	handle uintptr
	// params are the bytes of each parameter, once asked; nil where the driver
	// does not tell them.
	params []int
	asked  bool
	// sharedBytes and clusterCTAs are what was asked for beyond the default.
	sharedBytes, clusterCTAs uint32
}

func (f *Function) attribute(a functionAttribute) (int, error) {
	var v int32
	err := f.c.check("cuFuncGetAttribute", f.c.driver.api.funcGetAttribute(&v, a, f.handle))
	return int(v), err
}

// Registers is how many registers of 32 bits each thread has.
func (f *Function) Registers() (int, error) { return f.attribute(attrRegisters) }

// LocalBytes is the local memory of each thread.
func (f *Function) LocalBytes() (int, error) { return f.attribute(attrLocalBytes) }

// StaticSharedBytes is the shared memory that the kernel declares.
func (f *Function) StaticSharedBytes() (int, error) { return f.attribute(attrStaticShared) }

// MaxThreads is the most threads that a block of the kernel can have.
func (f *Function) MaxThreads() (int, error) { return f.attribute(attrMaxThreads) }
