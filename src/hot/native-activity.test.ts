import { describe, expect, test } from 'vitest';
import { isJvmLibrary } from '../model/jvm-library.js';
import { activityInLibrary, activityOf } from './native-activity.js';

describe('functions of the JVM, in a thread of Java', () => {
	test.each([
		['ClassFileParser::parse_constant_pool', 'class loading'],
		['SymbolTable::lookup_shared', 'class loading'],
		['ClassVerifier::verify_invoke_instructions', 'class loading'],
		['OopOopIterateDispatch<DefNewScanClosure>::Table::oop_oop_iterate<InstanceKlass, narrowOop>', 'garbage collection'],
		['G1ParScanThreadState::do_oop_evac<narrowOop>(narrowOop*)', 'garbage collection'],
		['ZMark::follow_object', 'garbage collection'],
		['MemAllocator::allocate', 'allocation'],
		['G1CollectedHeap::mem_allocate', 'allocation'],
		['java_lang_Throwable::fill_in_stack_trace', 'exceptions and stack walks'],
		['vframeStreamCommon::next', 'exceptions and stack walks'],
		['ObjectMonitor::enter', 'monitors'],
		['ObjectMonitor::TrySpin(JavaThread*)', 'contended monitors'],
		['ObjectMonitor::try_lock', 'contended monitors'],
		['SpinPause', 'contended monitors'],
		['Unsafe_Park', 'monitors'],
		['FreezeBase::recurse_freeze_compiled_frame', 'virtual threads'],
		['freeze_internal<Config<(oop_kind)0, G1BarrierSet>, false>', 'virtual threads'],
		['thaw<Config<(oop_kind)0, G1BarrierSet> >', 'virtual threads'],
		['Thaw<Config<(oop_kind)0, G1BarrierSet> >::thaw_slow', 'virtual threads'],
		['StackChunkFrameStream<(ChunkFrames)1>::next<SmallRegisterMap const>', 'virtual threads'],
		['Continuation::prepare_thaw', 'virtual threads'],
		['JVM_VirtualThreadUnmount', 'virtual threads'],
		['ContinuationGCSupport::relativize_stack_chunk', 'garbage collection'],
		['InterpreterRuntime::frequency_counter_overflow', 'interpreter and calls'],
		['OptoRuntime::new_instance_C', 'interpreter and calls'],
		['Deoptimization::fetch_unroll_info_helper', 'deoptimization'],
		['jni_GetIntField', 'JNI and JVM functions'],
		['JVM_GetNanoTimeAdjustment', 'JNI and JVM functions'],
		['JVM_FillInStackTrace', 'exceptions and stack walks'],
		['xmlStream::write_text', 'printing and logging'],
		['fileStream::write', 'printing and logging'],
		['LogFileOutput::write', 'printing and logging'],
		['LogTargetHandle::print', 'printing and logging'],
		['LogicOp::visit', 'other'],
		['JfrStorage::flush', 'printing and logging'],
		['JfrRecorderService::is_recording', 'other'],
		['JfrThreadLocal::JfrThreadLocal', 'other'],
		['Jfr::on_thread_start', 'other'],
		['JfrTraceId::assign', 'class loading'],
		['JfrResolution::on_c1_resolution', 'interpreter and calls'],
		['PhaseChaitin::Split', 'compiling'],
		['non-virtual thunk to LIRGenerator::block_do(BlockBegin*)', 'compiling'],
		['os::javaTimeNanos', 'other'],
		[null, 'other'],
	])('%s: %s', (symbol, activity) => {
		expect(activityOf(symbol, 'java')).toBe(activity);
	});
});

test('the collector that runs in the VM thread: its passes, and the memory that it moves', () => {
	for (const symbol of ['CompactibleSpace::compact', 'ContiguousSpace::prepare_for_compaction(CompactPoint*)', 'SerialFullGC::mark_object', 'memmove@plt']) {
		expect(activityOf(symbol, 'jvm')).toBe('garbage collection');
	}
	expect(activityInLibrary('__memmove_avx512_unaligned_erms', 'jvm')).toBe('garbage collection');
	expect(activityInLibrary('__memmove_avx512_unaligned_erms', 'java')).toBeNull();
	expect(activityInLibrary('memmem', 'jvm')).toBeNull();
	expect(activityInLibrary(null, 'jvm')).toBeNull();
	// The compilers write their log by it.
	expect([activityInLibrary('_IO_fwrite', 'c1'), activityInLibrary('__vfprintf_internal', 'c2')]).toEqual(['printing and logging', 'printing and logging']);
	expect([activityInLibrary('_int_malloc', 'c1'), activityInLibrary('_IO_fwrite', 'java')]).toEqual([null, null]);
	expect(activityOf('memmove@plt', 'java')).toBe('other');
});

test('what no name tells is what its thread is there for; what is printed is printing everywhere', () => {
	expect((['c1', 'c2', 'jvmci', 'gc', 'jvm', 'java'] as const).map((threadClass) => activityOf('os::malloc', threadClass))).toEqual([
		'compiling',
		'compiling',
		'compiling',
		'garbage collection',
		'safepoints and VM operations',
		'other',
	]);
	// Compilers look classes up, too.
	expect(activityOf('InstanceKlass::find_method_index', 'c2')).toBe('compiling');
	expect(activityOf('CompileLog::begin_head', 'c2')).toBe('printing and logging');
	expect(activityOf('DefNewGeneration::copy_to_survivor_space', 'jvm')).toBe('garbage collection');
});

test('the library by its file name', () => {
	expect(['/jdk/lib/server/libjvm.so', 'libjvm.dylib', 'C:/jdk/bin/server/jvm.dll', '/x/libjvmti.so', 'xlibjvm.so.1', null].map(isJvmLibrary)).toEqual([
		true,
		true,
		true,
		false,
		false,
		false,
	]);
});
