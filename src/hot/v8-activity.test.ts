/** V8's work by the names of functions that were sampled in Node 20 (V8 11.3) while it ran prettier. */
import { expect, test } from 'vitest';
import { isV8Library, v8Activity } from './v8-activity.js';

test.each([
	['Builtins_LoadIC_Megamorphic', 'builtins'],
	['v8::internal::Builtin_ArrayConcat', 'builtins'],
	['v8::internal::Scavenger::ScavengeObject<v8::internal::FullHeapObjectSlot>', 'garbage collection'],
	[
		'v8::internal::MarkingVisitorBase<v8::internal::ConcurrentMarkingVisitor, v8::internal::ConcurrentMarkingState>::ProcessStrongHeapObject',
		'garbage collection',
	],
	['v8::internal::(anonymous namespace)::YoungGenerationRecordMigratedSlotVisitor::VisitPointer', 'garbage collection'],
	['cppgc::internal::MarkerBase::StartMarking', 'garbage collection'],
	['v8::internal::compiler::GraphReducer::ReduceTop', 'compiling'],
	['v8::internal::compiler::(anonymous namespace)::SourcePositionWrapper::Reduce', 'compiling'],
	[
		'std::_Hashtable<unsigned int, std::pair<unsigned int const, v8::internal::compiler::VariableTracker::State>, v8::internal::ZoneAllocator<unsigned int> >::_M_rehash',
		'compiling',
	],
	['v8::internal::TurbofanCompilationJob::ExecuteJobImpl', 'compiling'],
	['v8::internal::baseline::BaselineCompiler::VisitSingleBytecode', 'compiling'],
	['v8::internal::RegExpParserImpl<unsigned char>::ParseDisjunction', 'regular expressions'],
	['v8::internal::ParserBase<v8::internal::PreParser>::ParseStatementList', 'parsing and bytecode'],
	['v8::internal::interpreter::BytecodeGenerator::VisitCall', 'parsing and bytecode'],
	['v8::internal::Runtime_StringSplit', 'runtime'],
	['v8::internal::LookupIterator::Start<false>', 'runtime'],
	['v8::base::RandomNumberGenerator::Next', 'runtime'],
	['node::fs::FileHandle::Close', 'Node and libuv'],
	['uv__io_poll', 'Node and libuv'],
	['OPENSSL_LH_retrieve', 'other'],
	[null, 'other'],
])('%s: %s', (symbol, activity) => {
	expect(v8Activity(symbol)).toBe(activity);
});

test('what holds V8', () => {
	const files = ['/opt/bin/node', 'nodejs', '/usr/lib/libnode.so.108', '/v8/d8', '/bin/node_exporter', '/lib/libjvm.so', null];
	expect(files.filter(isV8Library)).toEqual(files.slice(0, 4));
});
