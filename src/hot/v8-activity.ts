/** What V8 was doing, in Node's program or library, told from the function that was sampled: V8's namespaces and classes in src/ of its sources, 10 to 13. */

const V8_LIBRARY = /(?:^|\/)(?:node(?:js)?|libnode\.so(?:\.\d+)*|d8)$/;

export function isV8Library(library: string | null | undefined): boolean {
	return library != null && V8_LIBRARY.test(library);
}

/** Classes of `v8::internal`, also in its namespaces without a name. */
const own = (classes: string): RegExp => new RegExp(`v8::internal::(?:\\(anonymous namespace\\)::)?(?:${classes})`);

/** The first that fits. Parameters of templates count: what the standard library does for a compiler is the compiler's. */
const OWNERS: readonly (readonly [string, RegExp])[] = [
	['builtins', /^Builtins_|^v8::internal::Builtin_/],
	[
		'garbage collection',
		own(
			'Scaveng|IterateAndScavenge|Mark|Minor|Sweep|Heap::|HeapBase|HeapVisitor|HeapObject::SizeFromMap|ConcurrentMarking|Evacuat|\\w*PointersUpdat|PointerUpdate|RecordMigrated|YoungGeneration|Incremental|MemoryChunk|MemoryAllocator|PagedSpace|NewSpace|SemiSpace|OldSpace|NewLargeObject|LargeObjectSpace|LocalHeap|FreeList|GlobalHandles|TracedHandles|WeakObjects|ArrayBufferSweeper|BodyDescriptor|FlexibleBodyDescriptor|CollectionBarrier|GCTracer|BasicMemory|BasicSlot|SlotSet|RememberedSet|Worklist|Unmapper|ReadOnlyHeap|GCIdle|CodeRange|WeakListVisitor|VisitWeakList|ClearWeak|ExternalString|FullMark|MainMark',
		),
	],
	['garbage collection', /^cppgc::|^heap::base::|::heap::/],
	['compiling', own('(?:compiler|maglev|baseline|turboshaft|wasm)::')],
	[
		'compiling',
		own(
			'OptimizedComp|OptimizingComp|Turbofan|\\w*Assembler|RelocI|SourcePositionTable|SafepointTable|Translation(?:Array|sBuilder)|Code::|CodeBuilder|Factory::CodeBuilder|Deoptimiz|TieringManager|InstructionStream|Compiler::CompileOpt|Compiler::FinalizeTurbo|BytecodeAnal',
		),
	],
	['regular expressions', own('RegExp|Irregexp|NativeRegExp|Boyer|ChoiceNode|TextNode|DispatchTable|QuickCheck|Trace::')],
	[
		'parsing and bytecode',
		own(
			'Parser|PreParser|ParseInfo|Scanner|Utf8|UnbufferedCharacter|Buffered\\w*Character|Ast|DeclarationScope|Scope|ModuleScope|VariableMap|VariableProxy|ClassScope|Zone|interpreter::|Rewriter|FuncName|Bytecode|Unoptimized|Compiler::|CompilationCache|LazyCompile|ExpressionParsing|PreparseData|Producti|AccumulationScope|FeedbackVectorSpec|LiteralBuffer|SharedFunctionInfo|perfect_hash|PerfectKeyword|KeywordOr',
		),
	],
	['runtime', /^(?:[\w:<>* ]+ )?v8::/],
	['Node and libuv', /^node::|^uv_|^napi_/],
];

const known = new Map<string, string>();

/** Of a function of {@link isV8Library}. */
export function v8Activity(symbol: string | null): string {
	const name = symbol ?? '';
	let activity = known.get(name);
	if (activity === undefined) {
		activity = OWNERS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
		known.set(name, activity);
	}
	return activity;
}
