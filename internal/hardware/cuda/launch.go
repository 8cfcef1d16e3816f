package cuda

import (
	"fmt"
	"runtime"
)

// Launch says how a kernel is launched.
type Launch struct {
	Grid, Block [3]uint32
	// Cluster is in CTAs; {} and {1, 1, 1} are none.
	Cluster [3]uint32
	// SharedBytes is the dynamic shared memory of a CTA.
	SharedBytes uint32
	// Cooperative: all CTAs are resident at the same time.
	Cooperative bool
	// Params are the bytes of each parameter, in order.
	Params [][]byte
}

// clusterCTAs is how many CTAs a cluster has; 1 for none.
func (l *Launch) clusterCTAs() uint32 {
	return max(l.Cluster[0], 1) * max(l.Cluster[1], 1) * max(l.Cluster[2], 1)
}

// Launch starts a kernel on the GPU and does not wait for it. What goes wrong
// while it runs is an error of a later call.
func (f *Function) Launch(l Launch) error {
	if err := f.prepare(&l); err != nil {
		return err
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	params := make([]*byte, len(l.Params)+1) // never empty: C gets its address
	for i, p := range l.Params {
		if len(p) == 0 {
			return fmt.Errorf("kernel %s: parameter %d has no bytes", f.Name, i)
		}
		params[i] = &p[0]
		pin.Pin(params[i])
	}
	a, g, b := &f.c.driver.api, l.Grid, l.Block
	switch {
	case l.clusterCTAs() > 1:
		return f.launchEx(&l, params)
	case l.Cooperative:
		if a.launchCooperativeKernel == nil {
			return f.missing("cooperative launches", "cuLaunchCooperativeKernel")
		}
		return f.c.check("cuLaunchCooperativeKernel",
			a.launchCooperativeKernel(f.handle, g[0], g[1], g[2], b[0], b[1], b[2], l.SharedBytes, 0, &params[0]))
	}
	return f.c.check("cuLaunchKernel", a.launchKernel(f.handle, g[0], g[1], g[2], b[0], b[1], b[2], l.SharedBytes, 0, &params[0], 0))
}

// launchEx launches with attributes.
func (f *Function) launchEx(l *Launch, params []*byte) error {
	a := &f.c.driver.api
	if a.launchKernelEx == nil {
		return f.missing("clusters", "cuLaunchKernelEx")
	}
	attrs := []launchAttribute{{id: launchCluster}}
	for i, n := range l.Cluster {
		attrs[0].value[i] = max(n, 1)
	}
	if l.Cooperative {
		attrs = append(attrs, launchAttribute{id: launchCooperative, value: [16]uint32{1}})
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&attrs[0])
	config := &launchConfig{grid: l.Grid, block: l.Block, sharedBytes: l.SharedBytes, attributes: &attrs[0], count: uint32(len(attrs))}
	return f.c.check("cuLaunchKernelEx", a.launchKernelEx(config, f.handle, &params[0], 0))
}

// prepare checks the parameters and asks for what is not given by default.
func (f *Function) prepare(l *Launch) error {
	if err := f.checkParams(l.Params); err != nil {
		return err
	}
	beyond, err := f.beyondShared(l.SharedBytes)
	if err != nil {
		return err
	}
	if beyond {
		if err := f.set(attrMaxDynamicShared, int32(l.SharedBytes)); err != nil {
			return fmt.Errorf("%d bytes of dynamic shared memory: %w", l.SharedBytes, err)
		}
		f.sharedBytes = l.SharedBytes
	}
	if n := l.clusterCTAs(); n > max(f.clusterCTAs, portableClusterCTAs) {
		if err := f.set(attrNonPortable, 1); err != nil {
			return fmt.Errorf("a cluster of %d CTAs: %w", n, err)
		}
		f.clusterCTAs = n
	}
	return nil
}

// beyondShared reports whether a launch has more shared memory, the kernel's own
// and dynamic, than it gets without asking, and was not yet asked for.
func (f *Function) beyondShared(dynamic uint32) (bool, error) {
	if dynamic <= f.sharedBytes {
		return false, nil
	}
	own, err := f.StaticSharedBytes()
	return int64(own)+int64(dynamic) > defaultSharedBytesPerCTA, err
}

func (f *Function) set(a functionAttribute, value int32) error {
	return f.c.check("cuFuncSetAttribute", f.c.driver.api.funcSetAttribute(f.handle, a, value))
}

// checkParams holds the parameters against the kernel's, where the driver
// tells them: a launch reads as many bytes as the kernel has, whatever is
// there.
func (f *Function) checkParams(params [][]byte) error {
	if !f.asked {
		if err := f.findParams(); err != nil {
			return err
		}
	}
	if f.params == nil {
		return nil
	}
	if len(params) != len(f.params) {
		return fmt.Errorf("kernel %s has %d parameters, not %d", f.Name, len(f.params), len(params))
	}
	for i, p := range params {
		if len(p) != f.params[i] {
			return fmt.Errorf("kernel %s: parameter %d has %d bytes, not %d", f.Name, i, f.params[i], len(p))
		}
	}
	return nil
}

// findParams asks the driver for the sizes of the parameters.
func (f *Function) findParams() error {
	info := f.c.driver.api.funcGetParamInfo
	for sizes := []int{}; info != nil; {
		var at, bytes uintptr
		code := info(f.handle, uintptr(len(sizes)), &at, &bytes)
		if code == codeInvalidValue { // the index after the last
			f.params = sizes
			break
		}
		if code == codeNotSupported {
			break
		}
		if err := f.c.check("cuFuncGetParamInfo", code); err != nil {
			return err
		}
		sizes = append(sizes, int(bytes))
	}
	f.asked = true
	return nil
}

// missing says that the driver is too old for something.
func (f *Function) missing(what, call string) error {
	d := f.c.driver
	return fmt.Errorf("%s need %s, which %s (%s) lacks; update the NVIDIA driver", what, call, d.library, versionText(d.version))
}
