/**
 * What the reasons mean that C1 and C2 give for inlining a call or not, and which flags decide. The strings are those of HotSpot's JDK 17 and 25;
 * the defaults are what -XX:+PrintFlagsFinal prints on x86-64 (flags of a debug build: what the product build has built in).
 */

export interface DecidingFlag {
	readonly name: string;
	/** Its default; null where the JDK has no such flag. */
	readonly jdk17: string | null;
	readonly jdk25: string | null;
	/** `fixed`: a product build cannot change it. `diagnostic`: needs -XX:+UnlockDiagnosticVMOptions. */
	readonly kind: 'product' | 'diagnostic' | 'fixed';
}

/** A reason as HotSpot prints it, what it means, and the flags that decide. */
export interface InliningReason {
	/** As HotSpot prints it; `…` at the end stands for any text. */
	readonly reason: string;
	readonly compilers: readonly ('c1' | 'c2' | 'llvm')[];
	/** Whether the call is inlined for this reason. */
	readonly isInlined: boolean;
	readonly meaning: string;
	readonly flags: readonly DecidingFlag[];
}

const C1 = ['c1'] as const;
const C2 = ['c2'] as const;
const BOTH = ['c1', 'c2'] as const;

const flag = (name: string, jdk17: string | null, jdk25: string | null = jdk17, kind: DecidingFlag['kind'] = 'product'): DecidingFlag => ({
	name,
	jdk17,
	jdk25,
	kind,
});

const MAX_INLINE_SIZE = flag('MaxInlineSize', '35');
const FREQ_INLINE_SIZE = flag('FreqInlineSize', '325');
const INLINE_SMALL_CODE = flag('InlineSmallCode', '2500');
const MAX_TRIVIAL_SIZE = flag('MaxTrivialSize', '6');
const MIN_THRESHOLD = flag('MinInliningThreshold', '250', null);
const MIN_RATIO = flag('MinInlineFrequencyRatio', null, '0.0085', 'diagnostic');
const FREQUENCY_COUNT = flag('InlineFrequencyCount', '100', null, 'diagnostic');
const FREQUENCY_RATIO = flag('InlineFrequencyRatio', null, '0.25', 'diagnostic');
const DESIRED_METHOD_LIMIT = flag('DesiredMethodLimit', '8000', '8000', 'fixed');
const LIVE_NODES = flag('LiveNodeCountInliningCutoff', '40000');
const TYPE_PROFILE = [flag('TypeProfileWidth', '2'), flag('TypeProfileMajorReceiverPercent', '90')];

function yes(reason: string, compilers: InliningReason['compilers'], meaning: string, flags: readonly DecidingFlag[] = []): InliningReason {
	return { reason, compilers, isInlined: true, meaning, flags };
}

function no(reason: string, compilers: InliningReason['compilers'], meaning: string, flags: readonly DecidingFlag[] = []): InliningReason {
	return { reason, compilers, isInlined: false, meaning, flags };
}

/** What each of HotSpot's reasons means, and which flags decide. */
export const INLINING_REASONS: readonly InliningReason[] = [
	yes('inline (hot)', C2, 'nothing spoke against it: called often enough and small enough', [MAX_INLINE_SIZE, FREQ_INLINE_SIZE]),
	yes('inline', C1, 'nothing spoke against it: the callee is known and small', [flag('C1MaxInlineSize', '35')]),
	yes('accessor', C2, 'the callee only reads or writes a field', [flag('InlineAccessors', 'true', 'true', 'fixed')]),
	yes('force inline by annotation', BOTH, 'the callee is marked @ForceInline in the JDK; limits of size do not hold'),
	yes('force inline by CompileCommand', BOTH, 'a CompileCommand=inline names the callee', [flag('CompileCommand', '')]),
	yes('force inline by ciReplay', C2, 'a replay file of an earlier compilation says so'),
	yes('force (incremental) inline by ciReplay', C2, 'a replay file of an earlier compilation says so, after parsing'),
	yes('many throws', C2, 'the callee is small and throws often: inlined, the exception may become a jump', [
		flag('InlineThrowCount', '50', '50', 'fixed'),
		flag('InlineThrowMaxSize', '200', '200', 'fixed'),
	]),
	yes('intrinsic', C1, 'the compiler has code of its own for the method', [flag('InlineNatives', 'true', 'true', 'diagnostic')]),
	yes('(intrinsic)', C2, 'the compiler has code of its own for the method', [flag('InlineNatives', 'true', 'true', 'diagnostic')]),
	yes('late inline succeeded…', C2, 'decided again after the whole method was parsed, and inlined then', [flag('IncrementalInline', 'true')]),

	no('too big', C2, 'more bytecode than a call that is not frequent may have', [MAX_INLINE_SIZE]),
	no('hot method too big', C2, 'frequent, but more bytecode than even a frequent call may have', [FREQ_INLINE_SIZE]),
	no('already compiled into a big method', C2, 'the callee has machine code of its own, and more than this', [INLINE_SMALL_CODE]),
	no('already compiled into a medium method', C2, 'the call is not frequent, and the callee has machine code of more than a quarter of this', [
		INLINE_SMALL_CODE,
	]),
	no('executed < MinInliningThreshold times', C2, 'the callee was called too seldom so far', [MIN_THRESHOLD, MAX_TRIVIAL_SIZE]),
	no('low call site frequency', C2, 'this call is made in too small a part of the executions of its method', [MIN_RATIO, MAX_TRIVIAL_SIZE]),
	no('never executed', C2, 'the callee was never executed as far as the profile knows', [MAX_TRIVIAL_SIZE]),
	no('call site not reached', C2, 'the profile has never seen this call'),
	no('too cold to inline', C2, 'the call is made too seldom', [FREQUENCY_COUNT, FREQUENCY_RATIO]),
	no('inlining too deep', BOTH, 'as many calls are inlined into each other here as may be', [flag('MaxInlineLevel', '15'), flag('C1MaxInlineLevel', '9')]),
	no('recursive inlining is too deep', C2, 'the method is inlined into itself as often as it may be', [flag('MaxRecursiveInlineLevel', '1')]),
	no('recursive inlining too deep', C1, 'the method is inlined into itself as often as it may be', [flag('C1MaxRecursiveInlineLevel', '1')]),
	no('MaxForceInlineLevel', C2, '@ForceInline methods are inlined into each other as deep as they may be', [
		flag('MaxForceInlineLevel', '100', '100', 'fixed'),
	]),
	no('size > DesiredMethodLimit', C2, 'this compilation has inlined as much bytecode as it may', [
		DESIRED_METHOD_LIMIT,
		flag('ClipInlining', 'true', 'true', 'product'),
	]),
	no('total inlining greater than DesiredMethodLimit', C1, 'this compilation has inlined as much bytecode as it may', [DESIRED_METHOD_LIMIT]),
	no('NodeCountInliningCutoff', C2, 'the graph of this compilation is as large as it may become by inlining', [
		flag('NodeCountInliningCutoff', '18000', '18000', 'fixed'),
		LIVE_NODES,
	]),
	no('live nodes > LiveNodeCountInliningCutoff', C2, 'too many nodes of the graph are alive while inlining after parsing', [LIVE_NODES]),
	no('virtual call', C2, 'dispatched at run time: the profile has too many classes of receivers, or none that is most of them', TYPE_PROFILE),
	no('native method', BOTH, 'native code is called, not inlined; an intrinsic may replace it'),
	no('abstract method', C2, 'the callee has no code'),
	no('exception method', C2, "a method of an exception's class: exceptions are rare", []),
	no("don't inline Throwable constructors", C1, 'making an exception walks the stack: inlining would change what it sees'),
	no("don't inline by annotation", BOTH, 'the callee is marked @DontInline in the JDK'),
	no('disallowed by CompileCommand', BOTH, 'a CompileCommand=dontinline or exclude names the callee', [flag('CompileCommand', '')]),
	no('disallowed by ciReplay', C2, 'a replay file of an earlier compilation says so'),
	no('method holder not initialized', C2, "the callee's class is not initialized yet"),
	no('method holder is in error state', C2, "the callee's class could not be initialized"),
	no('no method holder', C2, "the callee's class is not known"),
	no('unloaded signature classes', C2, 'a class in the signature of the callee is not loaded yet'),
	no('failed initial checks', C2, 'what must be known of the callee is not yet known, as under -Xcomp'),
	no('not compilable…', C2, "the callee's bytecode cannot be compiled"),
	no('cannot be parsed', C2, "the callee's bytecode cannot be parsed"),
	no('method changes current thread', C2, 'the callee switches the carrier of a virtual thread'),
	no('method handle not constant', C2, 'which method handle is called is only known at run time'),
	no('receiver not constant', BOTH, 'which method handle is called is only known at run time: keep it in a static final field'),
	no('MemberName not constant', BOTH, 'what the method handle links to is only known at run time'),
	no('member_name not constant', C2, 'what the method handle links to is only known at run time'),
	no('NativeEntryPoint not constant', C2, 'which native function is called is only known at run time'),
	no('native call', C2, 'a call of native code through a method handle'),
	no('receiver is always null', C2, 'the call can only throw'),
	no('signatures mismatch', C2, "the method handle's target has other parameters than the call"),
	no('failed to inline (intrinsic…', C2, 'the compiler has code of its own for the method, but not for this use of it'),
	no('failed to inline intrinsic…', C2, 'the compiler has code of its own for the method, but not for this use of it'),
	no('callee is too large', C1, 'more bytecode than C1 inlines', [flag('C1MaxInlineSize', '35')]),
	no('callee uses too much stack', C1, "the callee's operands need more slots than may be added at once", [flag('C1InlineStackLimit', '5')]),
	no('no static binding', C1, 'dispatched at run time: several loaded classes implement the callee'),
	no('not inlineable', C1, "the callee's class is not loaded yet"),
	no("callee's klass not linked yet", C1, "the callee's class is not linked yet"),
	no("callee's klass not initialized yet", C1, "the callee's class is not initialized yet"),
	no('inlining prohibited by policy', C1, 'a loop of the callee runs in code of C2 already: code that collects profiles leaves it there'),
	no('not static or statically bindable', C1, 'a method handle leads to a call that is dispatched at run time'),
	no('jsrs not handled properly by inliner yet', C1, 'the callee has subroutines of old bytecode (jsr)'),
	no("callee's monitors do not match", C1, "the callee's locks are not nested"),
	no('callee is synchronized', C1, 'the callee takes a lock', [flag('InlineSynchronizedMethods', 'true')]),
	no('mdo allocation failed', C1, 'no memory for the profile of the callee'),
	no('intrinsic method inlining disabled', C1, 'intrinsics are switched off', [flag('InlineNatives', 'true', 'true', 'diagnostic')]),
	no('late inline failed…', C2, 'decided again after the whole method was parsed, and refused', [flag('IncrementalInline', 'true')]),
];

const exact = new Map(INLINING_REASONS.filter(({ reason }) => !reason.endsWith('…')).map((entry) => [entry.reason, entry]));
const prefixes = INLINING_REASONS.filter(({ reason }) => reason.endsWith('…'));

/** What a reason means; null for one that is not known, which is shown as it is. */
export function explainReason(reason: string): InliningReason | null {
	return exact.get(reason) ?? prefixes.find((entry) => reason.startsWith(entry.reason.slice(0, -1))) ?? null;
}

/** The same with what the command lines of runs say: `MaxInlineLevel 1, set`, `MaxInlineLevel 15 or 1` where one run has the default. */
export function flagTextOfRuns(flag: DecidingFlag, runs: readonly (ReadonlyMap<string, string> | null)[]): string {
	const values = new Set(runs.map((flags) => flags?.get(flag.name) ?? null));
	const [first] = values;
	if (first == null && values.size <= 1) {
		return flagText(flag);
	}
	return `${flag.name} ${[...values].map((value) => value ?? flag.jdk25 ?? flag.jdk17 ?? 'default').join(' or ')}, set`;
}

/** `-XX:MaxInlineSize=35`; where the JDKs differ, both. */
export function flagText({ name, jdk17, jdk25, kind }: DecidingFlag): string {
	const note = kind === 'product' ? '' : kind === 'fixed' ? ', fixed in product builds' : ', diagnostic';
	if (jdk17 === '' || jdk25 === '') {
		return `-XX:${name}`;
	}
	if (jdk17 === jdk25) {
		return `${name} ${jdk17}${note}`;
	}
	return `${name} ${jdk17 === null ? `${jdk25} (JDK 25)` : jdk25 === null ? `${jdk17} (JDK 17)` : `${jdk17} (JDK 17), ${jdk25} (JDK 25)`}${note}`;
}
