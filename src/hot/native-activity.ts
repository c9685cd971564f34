/** What a JVM was doing, told from the function of its library that was sampled: HotSpot's classes in share/ of its sources, JDK 17 to 25. */
import { isCompilerClass, type ThreadClass } from '../model/thread-class.js';

const NATIVE_ACTIVITIES = [
	'compiling',
	'garbage collection',
	'allocation',
	'class loading',
	'exceptions and stack walks',
	'monitors',
	'contended monitors',
	'virtual threads',
	'interpreter and calls',
	'deoptimization',
	'code cache',
	'JNI and JVM functions',
	'safepoints and VM operations',
	'printing and logging',
	'other',
] as const;
export type NativeActivity = (typeof NATIVE_ACTIVITIES)[number];

/** By the class that a function belongs to, or its own name; the first that fits. Of Flight Recorder those that run where it records. */
const OWNERS: readonly (readonly [NativeActivity, RegExp])[] = [
	// Their stacks are copied to the heap and back.
	['virtual threads', /^(?:[Ff]reeze(?:Base|_\w+)?|[Tt]haw(?:Base|_\w+)?|Continuation(?!GC)\w*|stackChunkOopDesc|StackChunkFrameStream|JVM_VirtualThread\w*)$/],
	[
		'printing and logging',
		/^(?:xml(?:Text)?Stream|fileStream|fdStream|defaultStream|outputStream|ttyLocker|CompileLog|Disassembler|decode_env|Log(?:[A-Z]\w*)?|AsyncLog\w*|Jvmti\w*|jvmti_\w+|create_inline_record|Jfr(?:Artifact|Buffer|Checkpoint|Chunk|Flush|MemorySpace|Msg|Periodic|PostBox|RecorderService|RecorderThread|Repository|Rotation|Sampl|Stack(?:Frame|Trace|Walk)|Storage|Stream|StringPool|Symbol|ThreadCPU|ThreadGroup|ThreadSampl|Type)\w*|nmethodPrinter|PrintNMethods)$/,
	],
	[
		'garbage collection',
		/^(?:G1(?!BarrierSet|CollectedHeap$|Allocator|BarrierSetRuntime)\w+|DefNew\w*|Tenured\w*|Serial(?!Heap$)\w+|MarkSweep\w*|GenMarkSweep|MarkAndPush\w*|AdjustPointer\w*|GenCollected\w*|PS(?!\w*Heap$)\w+|ParallelCompact\w*|ParMarkBitMap|ParCompaction\w*|MutableSpace|ContiguousSpace|CompactibleSpace|CompactPoint|Compacter|FullGCForwarding|SlidingForwarding|PreservedMarks\w*|ContinuationGCSupport|Offset(?:Table)?\w*Space\w*|OopOopIterate\w*|ReferenceProcessor\w*|CardTable\w*|BlockOffset\w*|FastScan\w*|Scavenge\w*|Shenandoah(?!Barrier)\w*|Z(?!Barrier\w*Runtime)[A-Z]\w+|GCTask\w*|WorkGang|GangWorker|WorkerThread\w*|GenericTaskQueue\w*|TaskTerminator|SpinPause|VM_G1\w*|VM_GC\w*|VM_Gen\w*|VM_Serial\w*|VM_ParallelGC\w*|Generation|Space|FreeListAllocator|WeakProcessor\w*|MarkingCodeBlobClosure|MarkingNMethodClosure|StealTask|CollectorState)$/,
	],
	[
		'allocation',
		/^(?:MemAllocator|\w*Allocator|CollectedHeap|\w+CollectedHeap|SerialHeap|ParallelScavengeHeap|ThreadLocalAllocBuffer|JVM_NewArray|JVM_NewMultiArray|Unsafe_AllocateInstance\w*|InstanceKlass_allocate\w*|TypeArrayKlass|ObjArrayKlass|ArrayKlass|JVM_Clone)$/,
	],
	[
		'class loading',
		/^(?:ClassFile\w*|SystemDictionary\w*|Dictionary\w*|PlaceholderTable|PlaceholderEntry|LoaderConstraint\w*|ClassLoader\w*|InstanceKlass|InstanceMirrorKlass|Klass|Rewriter|\w*Verifier|Verification\w*|StackMap\w*|SymbolTable\w*|Symbol|StringTable\w*|ConstantPool\w*|constantPoolHandle|klassVtable|klassItable|Metaspace\w*|metaspace|MetaspaceArena|AnnotationCollector|FieldLayout\w*|FieldInfo\w*|FileMapInfo|ArchiveUtils|AOT\w*|CDS\w*|DynamicArchive|UTF8|Signature\w*|java_lang_Class|JavaClasses|JfrTraceId|ModuleEntry\w*|PackageEntry\w*|Modules|DefaultMethods|MethodFamily|BytecodeStream|RawBytecodeStream|SubtypeChecker|GenerateOopMap|Method|ConstMethod|JVM_(?:DefineClass\w*|FindClass\w*|FindLoadedClass|LookupDefineClass|GetClass\w*|InitClass\w*))$/,
	],
	[
		'exceptions and stack walks',
		/^(?:java_lang_Throwable|Exceptions|BacktraceBuilder|BacktraceIterator|vframe\w*|StackWalk\w*|StackFrameStream|frame|RegisterMap|update_register_map1|JVM_FillInStackTrace|JVM_GetStackTrace\w*|JVM_CallStackWalk|JVM_MoreStackWalk|java_lang_StackTraceElement|java_lang_StackFrameInfo|JVM_InitStackTraceElement\w*|PcDesc\w*|ScopeDesc|CompressedReadStream|DebugInfoReadStream|ExceptionCache|ExceptionHandlerTable)$/,
	],
	[
		'monitors',
		/^(?:ObjectMonitor\w*|ObjectSynchronizer|LightweightSynchronizer|ObjectWaiter|Parker|PlatformParker|ParkEvent|PlatformEvent|Unsafe_Park|Unsafe_Unpark|Monitor|Mutex|PlatformMonitor|JVM_Monitor\w*|BasicLock|LockStack|ThreadBlockInVM|MonitorList)$/,
	],
	['deoptimization', /^(?:Deoptimiz\w*|DeoptResourceMark|vframeArray\w*|VM_Deoptim\w*|UnrollBlock)$/],
	[
		'interpreter and calls',
		/^(?:Interpreter\w*|AbstractInterpreter|OopMapCache\w*|Bytecode|Bytecode_\w+|Bytecodes|LinkResolver|JfrResolution|LinkInfo|CallInfo|MethodHandles|MHN_\w+|JVM_LinkCallSite\w*|CompilationPolicy|CompilationModeFlag|Call(?:Static|)Predicate|LoopPredicate|MethodData|MethodCounters|MethodLiveness|InvocationCounter|DirectivesStack|CompilerOracle|CompileBroker|CompileQueue|CompileTask|SharedRuntime|OptoRuntime|Runtime1|Compiled\w*IC|CompiledDirectCall|CompiledStaticCall|ICStub|InlineCacheBuffer|VtableStub\w*|SignatureHandler\w*|AdapterHandler\w*|AdapterFingerPrint|JavaCalls|JavaCallWrapper|JavaCallArguments|methodHandle|ResolvedMethod\w*|ResolvedIndy\w*|Threads|BarrierSetNMethod|G1BarrierSetRuntime|BarrierSetRuntime|ZBarrierSetRuntime|ShenandoahRuntime|ShenandoahBarrierSet\w*)$/,
	],
	[
		'code cache',
		/^(?:CodeCache|CodeHeap|CodeBlob|nmethod|CompiledMethod|NMethodSweeper|Relocation|RelocIterator|NativeCall|NativeMovConstReg|DependencyContext)$/,
	],
	[
		'JNI and JVM functions',
		/^(?:jni_\w+|JVM_\w+|Unsafe_\w+|JNI\w+|java_lang_\w+|Reflection|ThreadInVMfromNative|ThreadInVMfromJava|HandleMark\w*|StringCoding|jmm_\w+)$/,
	],
	[
		'safepoints and VM operations',
		/^(?:Safepoint\w*|VMThread|VM_\w+|Handshake\w*|VMOperation\w*|ThreadSafepointState|SMR\w*|ThreadsSMRSupport|WatcherThread|ServiceThread)$/,
	],
	[
		'compiling',
		/^(?:Phase\w*|Compile|Compilation|Matcher|ConnectionGraph|GraphKit|Parse\w*|LinearScan\w*|GraphBuilder|LIR\w*|IdealLoop\w*|C1_\w+|C2\w+|c[ir]?[A-Z]\w*|ci[A-Z]\w+|\w+Node|Node|RegMask|IndexSet\w*|Type[A-Z]\w*|State)$/,
	],
];

/** Only a thread that waits for another one's lock comes here: it spins, or queues up. Both spellings, before and from JDK 24 on. */
const CONTENDED =
	/^(?:ObjectMonitor::(?:Try(?:Spin|Lock)|try_(?:spin|lock)|spin_enter|short_fixed_spin|NotRunnable|EnterI|enter_internal|ReenterI|reenter_internal)|SpinPause$)/;

/** The JVM asks whether Flight Recorder records, mostly where it does not. */
const ASKS_FLIGHT_RECORDER = /^Jfr\w*::is_/;

/** The C library's, and the JVM's ways to call it. */
const MOVES_MEMORY = /^_*mem(?:move|cpy|set)(?:_|@|$)/;

/** How glibc and musl format and write text, numbers with a point among it. */
const WRITES_TEXT =
	/^(?:__GI_+)?_{0,3}(?:IO_|v?(?:f|s|sn|d|as)?printf|printf_|Xprintf_|buffered_vfprintf|itoa|hack_digit|mpn_|strchr|fwrite|fputs|libc_write|write$|stdio_write|fmt_)/;

/** What the C compiler makes of an object's code may come before its name. */
const THUNK = /^(?:non-virtual thunk to |virtual thunk to )/;
const known = new Map<string, NativeActivity>();

/** The class that a function belongs to, without parameters of templates, or its own name. */
function ownerOf(symbol: string): string {
	const name = symbol.replace(THUNK, '');
	const end = name.search(/[<(:@]/);
	return end < 0 ? name : name.slice(0, end);
}

/**
 * Of a function of another library; null: it is no work of the JVM. The collector that runs in the VM thread (Serial) moves objects by the C library, and threads of C1
 * and C2 have nothing to write but the log of compilations.
 */
export function activityInLibrary(symbol: string | null, threadClass: ThreadClass): NativeActivity | null {
	if ((threadClass === 'c1' || threadClass === 'c2') && WRITES_TEXT.test(symbol ?? '')) {
		return 'printing and logging';
	}
	return threadClass === 'jvm' && MOVES_MEMORY.test(symbol ?? '') ? 'garbage collection' : null;
}

/** Of a function of the JVM's library, in a thread of that class. What stands nowhere in the table is that for which its thread is there. */
export function activityOf(symbol: string | null, threadClass: ThreadClass): NativeActivity {
	const own = ASKS_FLIGHT_RECORDER.test(symbol ?? '') ? 'other' : activityOfOwner(ownerOf(symbol ?? ''));
	if (threadClass === 'java' && (own === 'monitors' || own === 'garbage collection') && CONTENDED.test(symbol ?? '')) {
		return 'contended monitors';
	}
	if (own === 'printing and logging') {
		return own;
	}
	if (isCompilerClass(threadClass)) {
		return 'compiling';
	}
	if (threadClass === 'gc') {
		return 'garbage collection';
	}
	if (own !== 'other' || threadClass !== 'jvm') {
		return own;
	}
	return MOVES_MEMORY.test(symbol ?? '') ? 'garbage collection' : 'safepoints and VM operations';
}

function activityOfOwner(owner: string): NativeActivity {
	let own = known.get(owner);
	if (own === undefined) {
		own = OWNERS.find(([, pattern]) => pattern.test(owner))?.[0] ?? 'other';
		known.set(owner, own);
	}
	return own;
}
