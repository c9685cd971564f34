/**
 * The library: every command as a function that gives the object of `--json`, typed, and the parts that the commands are made of. docs/library.md shows
 * how they are used.
 *
 *   const { regions } = await hotspots('run1');
 */

export { openExperiment } from './answers/experiment.js';
export type { RecordingReport } from './answers/joined-report.js';
export { openCompilationLog, openProftoolProfile, openReport, openSamplesAndCode } from './answers/open-parts.js';
export type { OpenExperimentOptions, OpenedExperiment } from './answers/opened-experiment.js';
export { type PerfasmEvidence, readPerfasmEvidence } from './answers/perfasm.js';
export type { ProfdiffQuestion, ProfdiffRun } from './answers/profdiff.js';
export { DEFAULT_REPORT_REQUEST, type ReportRequest } from './answers/report.js';
export type * from './answers/results.js';
export { type ObservedProfile, type ObservedRequest, observedProfile } from './bias/observed.js';
export type { Culprit, SafepointDelay } from './bias/safepoint-delay.js';
export { type DelayEvidence, explainDelays } from './bias/time-to-safepoint.js';
export { memorySource, type Source } from './bytes/source.js';
export type { CommandIo } from './cli/io.js';
export { main } from './cli/main.js';
export { methodLives } from './compilations/methods.js';
export type { CompilationsSummary, MethodLife, Version } from './compilations/results.js';
export { summarize } from './compilations/summarize.js';
export { nestTimeline } from './footprint/nest-timeline.js';
export { FootprintReplay, type LimitHitEvent, type LimitReaction, type ReplayOptions } from './footprint/replay.js';
export type * from './footprint/results.js';
export { readInstructionList } from './formats/executed-instructions/read.js';
export { FootprintEventReader, type ReadEvents, readFootprintEvents } from './formats/footprint-events/read.js';
export { footprintEventWriter } from './formats/footprint-events/write.js';
export type { SamplesFormat } from './formats/format.js';
export { GRAAL_DETAILED_PHASES, GRAAL_UNORDERED_PHASES } from './formats/graal-optimization-log/phases.js';
export { type DeoptimizationLog, isDeoptimizationLog, type LoggedDeoptimization, readDeoptimizationLog } from './formats/hotspot-deoptimization-log/read.js';
export { readDetails } from './formats/hotspot-memory-statistics/details.js';
export type * from './formats/hotspot-memory-statistics/rows.js';
export { scanMemoryStatistics } from './formats/hotspot-memory-statistics/scan.js';
export { writeErrorReportBlock, writePrintBlock, writeTable } from './formats/hotspot-memory-statistics/write.js';
export { isSafepointLog, readSafepointLog, type SafepointLog } from './formats/hotspot-safepoint-log/read.js';
export { isJfr, type JfrChunk, type JfrRecording, readJfr } from './formats/jfr/read.js';
export { readLldMap } from './formats/lld-map/read.js';
export { readNmListing } from './formats/nm-listing/read.js';
export { readSymbolOrder } from './formats/order-file/read.js';
export {
	isPrintCompilation,
	type PrintCompilation,
	type PrintedCompilation,
	type PrintedEvent,
	readPrintCompilation,
} from './formats/print-compilation/read.js';
export type { PrintedReceiver } from './formats/print-inlining/line.js';
export type { PrintedDecision } from './formats/print-inlining/nesting.js';
export { isPrintInlining, type PrintInlining, readPrintInlining } from './formats/print-inlining/read.js';
export { readReadelfListing } from './formats/readelf-listing/read.js';
export { readElfSymbols } from './formats/shared/elf/read-symbols.js';
export {
	type Attribution,
	type AttributionOptions,
	attributeSamples,
	type Reason,
} from './hot/attribute.js';
export { compareHot, type RegionPair } from './hot/compare-hot.js';
export type { NoPredecessor } from './hot/control-flow.js';
export { type FoldKind, type FoldRow, fold } from './hot/fold.js';
export { type HotOptions, hotReport, type ReadCode } from './hot/hot.js';
export type { CodeHeat, HotReport, MethodRow, Region, SourceRow } from './hot/hot-results.js';
export { costOf } from './hot/instruction-cost.js';
export { jmhPerfasm, type SampleWindow } from './hot/jmh-perfasm.js';
export type { CountedCode, HotRegion, JmhReport, PerfasmOptions, RegionLine } from './hot/results.js';
export { type BlockCrossing, calibrateSkid, isPreciseEvent, type MovedSkid, moveSkid, type SkidCalibration, type StayReason } from './hot/skid.js';
export type { CallCounter, RefusedCalls } from './join/joined-run.js';
export * from './library/commands.js';
export { type OpenedRecording, openRecording, type RecordingInput } from './library/recording.js';
export type { CallOptions } from './library/run.js';
export * from './library/store.js';
export type { Assembly, NamedCode } from './model/assembly.js';
export { type CodeMap, codeMap } from './model/code-map.js';
export type { CompilationKind, CompilationTrees, LoggedCompilation } from './model/compilation.js';
export type { ArenaBytes, CompilerMemory, MemoryDetails, PhaseMemory, TimelineEntry } from './model/compiler-memory.js';
export type { EvidenceKind, EvidenceOfKind } from './model/evidence.js';
export type { ExecutedInstructions, ExecutionTrace } from './model/executed-code.js';
export type { Address, CompileStart, FootprintEventSink } from './model/footprint-events.js';
export type { FunctionTrace, FunctionTraces, TracedFunction } from './model/function-trace.js';
export type { CodeKind, GeneratedCode } from './model/generated-code.js';
export { explainReason, flagText, INLINING_REASONS, type InliningReason } from './model/inlining-reasons.js';
export { type CallsiteKind, callsiteKind, type InliningNode, type ReceiverType, type ReceiverTypeProfile } from './model/inlining-tree.js';
export { flowOfInstruction, type InstructionFlow } from './model/instruction-flow.js';
export { Flow, type FlowKind, type Frame, type Instructions } from './model/instructions.js';
export type {
	CallDecision,
	CompilationHistory,
	CompilationPhase,
	CompilationRecord,
	Deoptimization,
	JitCompilation,
} from './model/jit-compilation.js';
export type { CallCounts, JoinedCompilation, RecordingFinding, RefusedCall } from './model/joined-recording.js';
export { type MethodName, splitMethodName } from './model/method-name.js';
export type { ObservedFile, ObservedKind, ObservedLeaf } from './model/observed-profile.js';
export type { Optimization, OptimizationNode, OptimizationPhase } from './model/optimization-tree.js';
export type { Position } from './model/position.js';
export { formatProblem, InputError, type Problem, UsageError } from './model/problem.js';
export type { Profile, ProfileEntry } from './model/profile.js';
export { type Property, type PropertyValue, propertyText } from './model/property.js';
export type { LateThread, LoggedTime, Safepoint, SafepointTimeout } from './model/safepoint.js';
export type { SampledThread, SamplePlace, Samples, SampleThreads } from './model/samples.js';
export type { StackFrames, StackMethod, StackSamples, Stacks, StackThread } from './model/stack-samples.js';
export type { SymbolTable } from './model/symbol-table.js';
export type { TextLayout } from './model/text-layout.js';
export type { CallsiteChange, Change, ChangeCategory, OptimizationChange, Place } from './profdiff/changes.js';
export { type ComparedMethod, type CompareRunsOptions, compareRuns, type RunsComparison, type Sides } from './profdiff/compare-runs.js';
export { createContextTree } from './profdiff/context-tree.js';
export { type CompilationUnit, createExperiment, type Experiment, type ExperimentNumber, type Fragment, type Method } from './profdiff/experiment.js';
export { type HotUnits, methodsIn, selectHotUnits, selectUnitsOf } from './profdiff/hot.js';
export type { Move } from './profdiff/moves.js';
export { DEFAULT_OPTIONS, type PhaseKnowledge, type ProfdiffOptions } from './profdiff/options.js';
export { type CompilationOverview, type ExperimentOverview, overview, type ReportFinding } from './profdiff/overview.js';
export { matchProfile, type ProfileMatch } from './profdiff/profile-match.js';
export {
	type ContextCallsite,
	type ContextInfo,
	type ContextNode,
	type ContextOptimization,
	type ContextRoot,
	contextChildren,
	type DeltaLine,
	type DeltaNode,
	type DeltaOperation,
	deltaLines,
	type MethodSection,
	type MethodSide,
	type PairComparison,
	type ProfdiffSink,
	type TreeComparison,
	type TreeRow,
	treeRows,
	type UnitTrees,
} from './profdiff/results.js';
export { comparePair, matchMethods, runComparison, runReport } from './profdiff/run.js';
export { TreeCache } from './profdiff/tree-cache.js';
export { type DiffPolicy, diffTrees, type TreeDifference } from './profdiff/tree-diff.js';
export type { CompilationLog } from './recording/compilation-log.js';
export { type Evidence, type EvidenceOptions, openEvidence } from './recording/evidence.js';
export type { LogFile } from './recording/log-file.js';
export { openObservedFile } from './recording/observed-file.js';
export { type OpenedTrace, type OpenedTraces, openFunctionTraces, type TraceOptions } from './recording/open-function-traces.js';
export type { Recording as SamplesAndCode } from './recording/open-recording.js';
export { type OptimizationLog, type OptimizationLogOptions, openOptimizationLog } from './recording/optimization-log.js';
export { inferLayout } from './startup/infer-layout.js';
export { type OptimizeOptions, optimizeOrder } from './startup/optimize-order.js';
export { countPages } from './startup/page-counts.js';
export { placeOrder } from './startup/place-order.js';
export type { OptimizedOrder, PageCounts, PageMap, Simulation } from './startup/results.js';
export { type CandidateOrder, simulate } from './startup/simulate.js';
export { carryTrace, type LaidTrace, layTrace } from './startup/trace-on-layout.js';
export { uniteTraces } from './startup/unite-traces.js';
export type { TrinoOptions } from './store/engine/trino.js';
