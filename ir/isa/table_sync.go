package isa

// The opcodes of barriers, fences and mbarrier objects.
const (
	OpBar Op = iota + firstSync
	opBarWarpSync
	OpBarrier
	opBarrierCluster
	OpMembar
	OpFence
	OpGriddepcontrol
	OpNanosleep
	OpMbarrierInit
	OpMbarrierInval
	OpMbarrierExpectTx
	OpMbarrierCompleteTx
	OpMbarrierArrive
	OpMbarrierArriveDrop
	OpMbarrierTestWait
	OpMbarrierTryWait
	OpMbarrierPendingCount
)

// syncOperations: a barrier that returns something returns what all of the CTA
// brought. An mbarrier is changed by some and asked by others.
var syncOperations = []operation{
	{OpBar, "bar", meets, byClass, PowerNone, plain},
	{opBarWarpSync, "bar.warp.sync", behaviour{FlowNext, "none", lanesOwn, SyncWarp, stateNone}, byClass, PowerNone, plain},
	{OpBarrier, "barrier", meets, byClass, PowerNone, plain},
	{opBarrierCluster, "barrier.cluster", behaviour{FlowNext, "none", lanesOwn, SyncCluster, stateNone}, byClass, PowerNone, plain},
	{OpMembar, "membar", orders, byClass, PowerNone, plain},
	{OpFence, "fence", behaviour{FlowNext, "updates", lanesOwn, SyncFence, stateNone}, byClass, PowerNone, plain},
	{OpGriddepcontrol, "griddepcontrol", pauses, byClass, PowerNone, plain},
	{OpNanosleep, "nanosleep", pauses, byClass, PowerNone, plain},
	{OpMbarrierInit, "mbarrier.init", arrives, byClass, PowerNone, plain},
	{OpMbarrierInval, "mbarrier.inval", arrives, byClass, PowerNone, plain},
	{OpMbarrierExpectTx, "mbarrier.expect_tx", arrives, byClass, PowerNone, plain},
	{OpMbarrierCompleteTx, "mbarrier.complete_tx", arrives, byClass, PowerNone, plain},
	{OpMbarrierArrive, "mbarrier.arrive", arrives, byClass, PowerNone, plain},
	{OpMbarrierArriveDrop, "mbarrier.arrive_drop", arrives, byClass, PowerNone, plain},
	{OpMbarrierTestWait, "mbarrier.test_wait", asks, byClass, PowerNone, plain},
	{OpMbarrierTryWait, "mbarrier.try_wait", asks, byClass, PowerNone, plain},
	{OpMbarrierPendingCount, "mbarrier.pending_count", computes, byClass, PowerNone, plain},
}

// syncRows synchronise threads and order memory accesses (PTX ISA 9.7.15).
var syncRows = []row{
	{"bar{.cta}.sync a:u32{, b:u32@2.0/20}", ctaMod, Barrier, "1.0", "", "9.7.15.1"},
	{"bar{.cta}.arrive a:u32, b:u32", ctaMod, Barrier, "2.0", "20", "9.7.15.1"},
	{"bar{.cta}.red.popc.u32 d, a:u32{, b:u32}, {!}c:pred", ctaMod, Barrier, "2.0", "20", "9.7.15.1"},
	{"bar{.cta}.red.bool.pred p, a:u32{, b:u32}, {!}c:pred", ctaMod + "; .bool = .and .or", Barrier, "2.0", "20", "9.7.15.1"},
	{"barrier{.cta}.sync{.aligned} a:u32{, b:u32}", ctaMod, Barrier, "6.0", "30", "9.7.15.1"},
	{"barrier{.cta}.arrive{.aligned} a:u32, b:u32", ctaMod, Barrier, "6.0", "30", "9.7.15.1"},
	{"barrier{.cta}.red.popc{.aligned}.u32 d, a:u32{, b:u32}, {!}c:pred", ctaMod, Barrier, "6.0", "30", "9.7.15.1"},
	{"barrier{.cta}.red.bool{.aligned}.pred p, a:u32{, b:u32}, {!}c:pred", ctaMod + "; .bool = .and .or", Barrier, "6.0", "30", "9.7.15.1"},
	{"bar.warp.sync mask:u32", "", Barrier, "6.0", "30", "9.7.15.2"},
	{"barrier.cluster.arrive{.sem}{.aligned}", ".sem = .release@8.0 .relaxed@8.0", Barrier, "7.8", "90", "9.7.15.3"},
	{"barrier.cluster.wait{.sem}{.aligned}", ".sem = .acquire@8.0", Barrier, "7.8", "90", "9.7.15.3"},

	{"membar.scope", ".scope = .cta .gl .sys@2.0/20", Barrier, "1.4", "", "9.7.15.4"},
	{"membar.proxy.alias", "", Barrier, "7.5", "70", "9.7.15.4"},
	{"membar.proxy.async{.space}", proxySpaces, Barrier, "8.0", "90", "9.7.15.4"},
	{"fence{.sem}.scope", ".sem = .sc .acq_rel .acquire@8.6/90 .release@8.6/90; " + scopes, Barrier, "6.0", "70", "9.7.15.4"},
	{"fence.acquire.sync_restrict::shared::cluster.cluster", "", Barrier, "8.6", "90", "9.7.15.4"},
	{"fence.release.sync_restrict::shared::cta.cluster", "", Barrier, "8.6", "90", "9.7.15.4"},
	{"fence.mbarrier_init.release.cluster", "", Barrier, "8.0", "90", "9.7.15.4"},
	{"fence.proxy.alias", "", Barrier, "7.5", "70", "9.7.15.4"},
	{"fence.proxy.alias.sem.sys", ".sem = .acquire .release", Barrier, "9.4", "70", "9.7.15.4"},
	{"fence.proxy.async{.space}", proxySpaces, Barrier, "8.0", "90", "9.7.15.4"},
	{"fence.proxy.tensormap::generic.release.scope", scopes, Barrier, "8.3", "90", "9.7.15.4"},
	{"fence.proxy.tensormap::generic.acquire.scope [a], size:imm", scopes, Barrier, "8.3", "90", "9.7.15.4"},
	{"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", "", Barrier, "8.6", "90", "9.7.15.4"},
	{"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", "", Barrier, "8.6", "90", "9.7.15.4"},
	{"fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster", "", Barrier, "9.4", "90", "9.7.15.4"},
	{"fence.proxy.fabric.alias.sem.sys", ".fabric = .generic::fabric .fabric::generic .fabric::fabric; .sem = .acquire .release", Barrier, "9.3", "100", "9.7.15.4"},
	{"griddepcontrol.action", ".action = .launch_dependents .wait", Barrier, "7.8", "90", "9.7.15.14"},
	{"nanosleep.u32 t", "", Barrier, "6.3", "70", "9.7.21.2"},

	{"mbarrier.init{.layout}{.space}.b64 [a], count:u32", ".layout = .layout::v0@9.3 .layout::v1@9.3; " + objectSpaces, Barrier, "7.0", "80", "9.7.15.16.12"},
	{"mbarrier.inval{.space}.b64 [a]", objectSpaces, Barrier, "7.0", "80", "9.7.15.16.13"},
	{"mbarrier.expect_tx{.sem.scope}{.space}.b64 [a], count:u32", txOrder + clusterSpaces, Barrier, "8.0", "90", "9.7.15.16.14"},
	{"mbarrier.complete_tx{.sem.scope}{.space}.b64 [a], count:u32", txOrder + clusterSpaces, Barrier, "8.0", "90", "9.7.15.16.15"},
	{"mbarrier.arrive{.sem.scope}{.space}.b64 d, [a]{, count:u32@7.8/90}", arriveOrder + clusterSpaces, Barrier, "7.0", "80", "9.7.15.16.16"},
	{"mbarrier.arrive.expect_tx{.sem.scope}{.space}.b64 d, [a], count:u32", arriveOrder + clusterSpaces, Barrier, "8.0", "90", "9.7.15.16.16"},
	{"mbarrier.arrive.noComplete{.release.cta}{.space}.b64 d, [a], count:u32", objectSpaces, Barrier, "7.0", "80", "9.7.15.16.16"},
	{"mbarrier.arrive_drop{.sem.scope}{.space}.b64 d, [a]{, count:u32@7.8/90}", arriveOrder + clusterSpaces, Barrier, "7.0", "80", "9.7.15.16.17"},
	{"mbarrier.arrive_drop.expect_tx{.sem.scope}{.space}.b64 d, [a], count:u32", arriveOrder + clusterSpaces, Barrier, "8.0", "90", "9.7.15.16.17"},
	{"mbarrier.arrive_drop.noComplete{.release.cta}{.space}.b64 d, [a], count:u32", objectSpaces, Barrier, "7.0", "80", "9.7.15.16.17"},
	{"mbarrier.test_wait{.sem.scope}{.space}.b64 p:pred, [a], state", waitOrder + objectSpaces, Barrier, "7.0", "80", "9.7.15.16.19"},
	{"mbarrier.test_wait.parity{.sem.scope}{.space}.b64 p:pred, [a], parity:u32", waitOrder + objectSpaces, Barrier, "7.1", "80", "9.7.15.16.19"},
	{"mbarrier.try_wait{.sem.scope}{.space}.b64 p:pred, [a], state{, timeout:u32}", waitOrder + objectSpaces, Barrier, "7.8", "90", "9.7.15.16.19"},
	{"mbarrier.try_wait.parity{.sem.scope}{.space}.b64 p:pred, [a], parity:u32{, timeout:u32}", waitOrder + objectSpaces, Barrier, "7.8", "90", "9.7.15.16.19"},
	// What a copy reports, by a predicate and a value, is of PTX 9.3.
	{"mbarrier.test_wait.phase{.sem.scope}{.space}.b64 p:pred[|q]{, r:any}, [a], state", ".phase = .phase_type::primary; " + waitOrder + objectSpaces, Barrier, "9.3", "90", "9.7.15.16.19"},
	{"mbarrier.test_wait.parity.phase{.sem.scope}{.space}.b64 p:pred[|q]{, r:any}, [a], parity:u32", phaseTypes + waitOrder + objectSpaces, Barrier, "9.3", "90", "9.7.15.16.19"},
	{"mbarrier.try_wait.phase{.sem.scope}{.space}.b64 p:pred[|q]{, r:any}, [a], state{, timeout:u32}", ".phase = .phase_type::primary; " + waitOrder + objectSpaces, Barrier, "9.3", "90", "9.7.15.16.19"},
	{"mbarrier.try_wait.parity.phase{.sem.scope}{.space}.b64 p:pred[|q]{, r:any}, [a], parity:u32{, timeout:u32}", phaseTypes + waitOrder + objectSpaces, Barrier, "9.3", "90", "9.7.15.16.19"},
	{"mbarrier.arrive{.sem.scope}{.ss}.multicast::cluster::32b.b64 d, [a]{, count:u32}, mask:b32", arriveOrder + ".ss = .shared::cluster", Barrier, "9.4", "90", "9.7.15.16.16"},
	{"mbarrier.arrive.expect_tx{.sem.scope}{.ss}.multicast::cluster::32b.b64 d, [a], count:u32, mask:b32", arriveOrder + ".ss = .shared::cluster", Barrier, "9.4", "90", "9.7.15.16.16"},
	{"mbarrier.arrive_drop.expect_tx{.sem.scope}{.ss}.multicast::cluster::32b.b64 d, [a], count:u32, mask:b32", arriveOrder + ".ss = .shared::cluster", Barrier, "9.4", "90", "9.7.15.16.17"},
	{"mbarrier.arrive_drop{.sem.scope}{.ss}.multicast::cluster::32b.b64 d, [a]{, count:u32}, mask:b32", arriveOrder + ".ss = .shared::cluster", Barrier, "9.4", "90", "9.7.15.16.17"},
	{"mbarrier.expect_tx{.sem.scope}{.ss}.multicast::cluster::32b.b64 [a], count:u32, mask:b32", txOrder + ".ss = .shared::cluster", Barrier, "9.4", "90", "9.7.15.16.14"},
	{"mbarrier.complete_tx{.sem.scope}{.ss}.multicast::cluster::32b.b64 [a], count:u32, mask:b32", txOrder + ".ss = .shared::cluster", Barrier, "9.4", "90", "9.7.15.16.15"},
	{"mbarrier.pending_count.b64 d:u32, state", "", Barrier, "7.0", "80", "9.7.15.16.20"},
}

const (
	ctaMod      = ".cta = .cta@7.8"
	proxySpaces = ".space = .global .shared::cta .shared::cluster"

	objectSpaces  = ".space = .shared .shared::cta@7.8"
	clusterSpaces = objectSpaces + " .shared::cluster@8.0/90"
	objectScopes  = ".scope = .cta .cluster; "
	txOrder       = ".sem = .relaxed; " + objectScopes
	arriveOrder   = ".sem = .release@8.0 .relaxed@8.6/90; " + objectScopes
	phaseTypes    = ".phase = .phase_type::primary .phase_type::conditional; "
	waitOrder     = ".sem = .acquire@8.0 .relaxed@8.6/90; " + objectScopes
)
