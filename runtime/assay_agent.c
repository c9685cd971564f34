/*
 * A JVMTI agent that writes what a JVM compiles into a file: the code's bytes, which bytecode each described address belongs to through all levels of inlining,
 * the methods, stubs, and pieces of the interpreter. C11; docs/formats/agent-log.md describes the file.
 *
 *   java -agentpath:/path/libassay_agent.so=/folder/agent-%p.bin …     from the start; %p is the process id
 *   jcmd PID JVMTI.agent_load /path/libassay_agent.so /folder/agent.bin   a JVM that runs: everything that is compiled, and what comes
 *   jcmd PID JVMTI.agent_load /path/libassay_agent.so stop                ends that
 *
 * A record is put together in memory of its own and handed to the kernel by one write to a file that is open for appending, so that what was written survives
 * any end of the JVM. Nothing that goes wrong here ends the JVM: what the disk does not take is left out whole, and the end of the file says how many records
 * are missing.
 *
 * JVMTI tells no compile ids, relocations and oop maps. They are read from the JVM's own memory by the table that it exports for debuggers
 * (gHotSpotVMStructs), after checking that the code found is the one that JVMTI told of; where the table lacks something the field says unknown.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jvmti.h>
#include <jvmticmlr.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { VERSION = 1, BYTE_ORDER_MARK = 0x01020304 };
enum { KIND_JVM = 1, KIND_METHOD, KIND_LOAD, KIND_UNLOAD, KIND_DYNAMIC, KIND_CODELET, KIND_MAPPINGS, KIND_CLASS, KIND_CAUGHT_UP, KIND_END, KIND_INTERPRETED };
enum { STARTED = 0, ATTACHED = 1 };
enum { END_EXIT = 0, END_STOPPED = 1 };
enum { ASKED_FOR = 1 };
/* As in the header of ELF files: which instructions the code consists of. */
#if defined(__x86_64__)
enum { ELF_MACHINE = 62 };
#elif defined(__aarch64__)
enum { ELF_MACHINE = 183 };
#else
enum { ELF_MACHINE = 0 };
#endif
/* Whether methods that ran in the interpreter are told: who samples this machine copies stacks. */
#if defined(__linux__) && defined(__x86_64__)
#define TELLS_INTERPRETED 1
#endif
/* Code above this size is named without its bytes; no JVM has such. */
static const uint32_t LARGEST_CODE = 16u << 20;
/* Methods known at once; after so many they are described again. */
static const uint32_t MOST_METHODS = 1u << 20;
static const uint32_t UNKNOWN = 0xffffffffu;

static JavaVM* java_vm;
static jvmtiEnv* jvmti;
static atomic_int file = -1;
static _Atomic uint64_t lost_records;
/* Held for each write, as the kernel does for files that are open for appending, and while the file is closed: its number may be another file's then. */
static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;
/* Threads that are telling of code: `stop` waits for them. */
static atomic_int events_under_way;

/* ---- records ---- */

typedef struct {
	uint8_t* bytes;
	size_t length;
	size_t capacity;
	bool failed;
} Record;

static uint64_t clock_ns(clockid_t clock) {
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void* reserve(Record* record, size_t length) {
	if (record->failed) {
		return NULL;
	}
	if (record->length + length > record->capacity) {
		size_t capacity = (record->length + length) * 2 + 256;
		uint8_t* larger = realloc(record->bytes, capacity);
		if (larger == NULL) {
			record->failed = true;
			return NULL;
		}
		record->bytes = larger;
		record->capacity = capacity;
	}
	void* at = record->bytes + record->length;
	record->length += length;
	return at;
}

static void put(Record* record, const void* bytes, size_t length) {
	void* at = reserve(record, length);
	if (at != NULL && length > 0) {
		memcpy(at, bytes, length);
	}
}

static void put16(Record* record, uint16_t value) { put(record, &value, sizeof value); }
static void put32(Record* record, uint32_t value) { put(record, &value, sizeof value); }
static void put64(Record* record, uint64_t value) { put(record, &value, sizeof value); }

static void align8(Record* record) {
	static const uint8_t zeros[8];
	put(record, zeros, (8 - record->length % 8) % 8);
}

/* A length and the bytes; no terminator. */
static void put_text(Record* record, const char* text) {
	size_t length = text == NULL ? 0 : strlen(text);
	put32(record, (uint32_t)length);
	put(record, text, length);
}

/* In a thread that asks for code which the JVM did not tell of: when it was asked before, so that the code is of later. 0 in others. */
static _Thread_local uint64_t asked_before;

static Record begin(uint16_t kind) {
	Record record = {0};
	put32(&record, 0);
	put16(&record, kind);
	put16(&record, kind == KIND_LOAD && asked_before != 0 ? ASKED_FOR : 0);
	put64(&record, kind == KIND_LOAD && asked_before != 0 ? asked_before : clock_ns(CLOCK_MONOTONIC));
	return record;
}

/* Whole or not at all: of a record that the disk took a part of, the part is taken back. False where nothing is written. */
static bool write_bytes(const void* bytes, size_t length) {
	pthread_mutex_lock(&file_lock);
	int to = atomic_load(&file);
	ssize_t written = -1;
	if (to >= 0) {
		do {
			written = write(to, bytes, length);
		} while (written < 0 && errno == EINTR);
		if (written != (ssize_t)length) {
			atomic_fetch_add(&lost_records, 1);
		}
		struct stat now;
		if (written > 0 && written != (ssize_t)length && (fstat(to, &now) != 0 || ftruncate(to, now.st_size - written) != 0)) {
			/* What follows a part could not be found. */
			atomic_store(&file, -1);
		}
	}
	pthread_mutex_unlock(&file_lock);
	return written == (ssize_t)length;
}

static bool finish(Record* record) {
	bool is_written = false;
	align8(record);
	if (record->failed || record->length > UINT32_MAX) {
		atomic_fetch_add(&lost_records, 1);
	} else {
		uint32_t size = (uint32_t)record->length;
		memcpy(record->bytes, &size, sizeof size);
		is_written = write_bytes(record->bytes, record->length);
	}
	free(record->bytes);
	return is_written;
}

static void close_file(void) {
	pthread_mutex_lock(&file_lock);
	int opened = atomic_exchange(&file, -1);
	if (opened >= 0) {
		close(opened);
	}
	pthread_mutex_unlock(&file_lock);
}

/* ---- what the JVM exports for debuggers ---- */

typedef struct {
	const char* type;
	const char* field;
	const char* field_type;
	int32_t is_static;
	uint64_t offset;
	void* address;
} VmStruct;

typedef struct {
	const char* type;
	const char* superclass;
	int32_t is_oop;
	int32_t is_integer;
	int32_t is_unsigned;
	uint64_t size;
} VmType;

static const VmStruct* vm_structs;
static const VmType* vm_types;

/* Offsets of fields; -1 where this JVM does not have them. */
static struct {
	void** heaps;
	int64_t array_length, array_data;
	int64_t heap_memory, heap_segmap, heap_log2;
	int64_t space_low, space_high;
	int64_t block_used, block_length, block_size;
	int64_t blob_code_begin, blob_code_end, blob_code_offset, blob_data_offset, blob_data_end, blob_content_begin, blob_content_offset, blob_header_size, blob_oop_maps;
	int64_t blob_name, blob_relocation_size, blob_mutable_data;
	bool is_header_size_short, is_block_length_short;
	int64_t compile_id, level, entry_bci, stub_offset, exception_offset, deopt_offset, deopt_begin, osr_entry, verified_entry, verified_offset;
	int64_t maps_count, pair_pc, pair_size, maps_size;
	int64_t method_counters, method_const, const_constants, constants_holder, class_name, symbol_length, symbol_body;
} vm;

static const VmStruct* find_field(const char* type, const char* field) {
	for (const VmStruct* row = vm_structs; row != NULL && row->type != NULL; row++) {
		if (row->field != NULL && strcmp(row->type, type) == 0 && strcmp(row->field, field) == 0) {
			return row;
		}
	}
	return NULL;
}

static int64_t offset_of(const char* type, const char* field) {
	const VmStruct* row = find_field(type, field);
	return row == NULL || row->is_static ? -1 : (int64_t)row->offset;
}

static void* static_of(const char* type, const char* field) {
	const VmStruct* row = find_field(type, field);
	return row == NULL || !row->is_static ? NULL : row->address;
}

static int64_t size_of(const char* type) {
	for (const VmType* row = vm_types; row != NULL && row->type != NULL; row++) {
		if (strcmp(row->type, type) == 0) {
			return (int64_t)row->size;
		}
	}
	return -1;
}

static bool has_type(const char* type, const char* field, const char* field_type) {
	const VmStruct* row = find_field(type, field);
	return row != NULL && row->field_type != NULL && strcmp(row->field_type, field_type) == 0;
}

/* The size of a row and the places of its parts are exported too; only the layout that all JVMs have since JDK 8 is read. */
static bool is_known_layout(void* jvm) {
	const struct {
		const char* name;
		uint64_t expected;
	} parts[] = {
		{"gHotSpotVMStructEntryTypeNameOffset", offsetof(VmStruct, type)},
		{"gHotSpotVMStructEntryFieldNameOffset", offsetof(VmStruct, field)},
		{"gHotSpotVMStructEntryTypeStringOffset", offsetof(VmStruct, field_type)},
		{"gHotSpotVMStructEntryIsStaticOffset", offsetof(VmStruct, is_static)},
		{"gHotSpotVMStructEntryOffsetOffset", offsetof(VmStruct, offset)},
		{"gHotSpotVMStructEntryAddressOffset", offsetof(VmStruct, address)},
		{"gHotSpotVMStructEntryArrayStride", sizeof(VmStruct)},
		{"gHotSpotVMTypeEntryTypeNameOffset", offsetof(VmType, type)},
		{"gHotSpotVMTypeEntrySizeOffset", offsetof(VmType, size)},
		{"gHotSpotVMTypeEntryArrayStride", sizeof(VmType)},
	};
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		const uint64_t* value = dlsym(jvm, parts[i].name);
		if (value == NULL || *value != parts[i].expected) {
			return false;
		}
	}
	return true;
}

static void find_vm_structs(void) {
	Dl_info info;
	if (dladdr((void*)(uintptr_t)(*java_vm)->GetEnv, &info) == 0 || info.dli_fname == NULL) {
		return;
	}
	void* jvm = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (jvm == NULL || !is_known_layout(jvm)) {
		return;
	}
	const VmStruct** structs = dlsym(jvm, "gHotSpotVMStructs");
	const VmType** types = dlsym(jvm, "gHotSpotVMTypes");
	if (structs == NULL || types == NULL) {
		return;
	}
	vm_structs = *structs;
	vm_types = *types;
	vm.heaps = static_of("CodeCache", "_heaps");
	vm.array_length = offset_of("GrowableArrayBase", "_len");
	if (vm.array_length < 0) {
		/* Its name up to JDK 15. */
		vm.array_length = offset_of("GenericGrowableArray", "_len");
	}
	vm.array_data = offset_of("GrowableArray<int>", "_data");
	vm.heap_memory = offset_of("CodeHeap", "_memory");
	vm.heap_segmap = offset_of("CodeHeap", "_segmap");
	vm.heap_log2 = offset_of("CodeHeap", "_log2_segment_size");
	vm.space_low = offset_of("VirtualSpace", "_low");
	vm.space_high = offset_of("VirtualSpace", "_high");
	vm.block_used = offset_of("HeapBlock::Header", "_used");
	vm.block_length = offset_of("HeapBlock::Header", "_length");
	vm.is_block_length_short = has_type("HeapBlock::Header", "_length", "uint32_t");
	vm.block_size = size_of("HeapBlock");
	vm.blob_name = offset_of("CodeBlob", "_name");
	vm.blob_code_begin = offset_of("CodeBlob", "_code_begin");
	vm.blob_code_end = offset_of("CodeBlob", "_code_end");
	vm.blob_code_offset = offset_of("CodeBlob", "_code_offset");
	vm.blob_data_offset = offset_of("CodeBlob", "_data_offset");
	vm.blob_data_end = offset_of("CodeBlob", "_data_end");
	vm.blob_content_begin = offset_of("CodeBlob", "_content_begin");
	vm.blob_content_offset = offset_of("CodeBlob", "_content_offset");
	vm.blob_header_size = offset_of("CodeBlob", "_header_size");
	vm.is_header_size_short = has_type("CodeBlob", "_header_size", "u2");
	vm.blob_oop_maps = offset_of("CodeBlob", "_oop_maps");
	vm.blob_relocation_size = offset_of("CodeBlob", "_relocation_size");
	vm.blob_mutable_data = offset_of("CodeBlob", "_mutable_data");
	vm.compile_id = offset_of("nmethod", "_compile_id");
	vm.level = offset_of("nmethod", "_comp_level");
	vm.entry_bci = offset_of("nmethod", "_entry_bci");
	vm.stub_offset = offset_of("nmethod", "_stub_offset");
	vm.exception_offset = offset_of("nmethod", "_exception_offset");
	vm.deopt_offset = offset_of("nmethod", "_deopt_handler_offset");
	vm.deopt_begin = offset_of("CompiledMethod", "_deopt_handler_begin");
	vm.osr_entry = offset_of("nmethod", "_osr_entry_point");
	vm.verified_entry = offset_of("nmethod", "_verified_entry_point");
	vm.verified_offset = offset_of("nmethod", "_verified_entry_offset");
	vm.maps_count = offset_of("ImmutableOopMapSet", "_count");
	vm.maps_size = size_of("ImmutableOopMapSet");
	vm.pair_pc = offset_of("ImmutableOopMapPair", "_pc_offset");
	vm.pair_size = size_of("ImmutableOopMapPair");
#ifdef TELLS_INTERPRETED
	vm.method_counters = offset_of("Method", "_method_counters");
	vm.method_const = offset_of("Method", "_constMethod");
	vm.const_constants = offset_of("ConstMethod", "_constants");
	vm.constants_holder = offset_of("ConstantPool", "_pool_holder");
	vm.class_name = offset_of("Klass", "_name");
	vm.symbol_length = offset_of("Symbol", "_length");
	vm.symbol_body = offset_of("Symbol", "_body");
#endif
}

static uint64_t read64(const char* base, int64_t offset) {
	uint64_t value;
	memcpy(&value, base + offset, sizeof value);
	return value;
}

static int32_t read32(const char* base, int64_t offset) {
	int32_t value;
	memcpy(&value, base + offset, sizeof value);
	return value;
}

static uint16_t read16(const char* base, int64_t offset) {
	uint16_t value;
	memcpy(&value, base + offset, sizeof value);
	return value;
}

static const long long NO_FLAG = INT64_MIN;

/* What a flag of the JVM is set to; NO_FLAG where it has none of that name, or not a number. */
static long long flag_value(const char* wanted) {
	void** flags = static_of("JVMFlag", "flags");
	const uint64_t* count = static_of("JVMFlag", "numFlags");
	int64_t name_offset = offset_of("JVMFlag", "_name");
	int64_t address_offset = offset_of("JVMFlag", "_addr");
	int64_t type_offset = offset_of("JVMFlag", "_type");
	int64_t size = size_of("JVMFlag");
	bool is_known = flags != NULL && *flags != NULL && count != NULL && name_offset >= 0 && address_offset >= 0 && type_offset >= 0 && size > 0;
	for (uint64_t i = 0; is_known && i < *count && i < 10000; i++) {
		const char* flag = (const char*)*flags + i * (uint64_t)size;
		const char* name = (const char*)(uintptr_t)read64(flag, name_offset);
		const char* value = (const char*)(uintptr_t)read64(flag, address_offset);
		if (name != NULL && value != NULL && strcmp(name, wanted) == 0) {
			/* bool, int, uint, intx, uintx, uint64_t, size_t */
			int32_t type = read32(flag, type_offset);
			return type < 0 || type > 6 ? NO_FLAG : type == 0 ? *(const uint8_t*)value : type <= 2 ? read32(value, 0) : (long long)read64(value, 0);
		}
	}
	return NO_FLAG;
}

/* Where the piece of the code cache begins that holds an address; `limit` is the end of what is mapped there. NULL where it cannot be told. */
static const char* find_blob(const char* address, const char** limit) {
	if (vm.heaps == NULL || *vm.heaps == NULL || vm.array_length < 0 || vm.array_data < 0 || vm.heap_memory < 0 || vm.heap_segmap < 0 || vm.heap_log2 < 0 ||
		vm.space_low < 0 || vm.space_high < 0 || vm.block_used < 0 || vm.block_size <= 0) {
		return NULL;
	}
	const char* array = *vm.heaps;
	int32_t count = read32(array, vm.array_length);
	const char* const* heaps = (const char* const*)(uintptr_t)read64(array, vm.array_data);
	for (int32_t i = 0; i < count && i < 16; i++) {
		const char* memory = heaps[i] + vm.heap_memory;
		const char* low = (const char*)(uintptr_t)read64(memory, vm.space_low);
		const char* high = (const char*)(uintptr_t)read64(memory, vm.space_high);
		if (address < low || address >= high) {
			continue;
		}
		const char* segmap = heaps[i] + vm.heap_segmap;
		const uint8_t* segments = (const uint8_t*)(uintptr_t)read64(segmap, vm.space_low);
		const uint8_t* segments_end = (const uint8_t*)(uintptr_t)read64(segmap, vm.space_high);
		int32_t log2 = read32(heaps[i], vm.heap_log2);
		if (log2 < 0 || log2 > 20) {
			return NULL;
		}
		size_t segment = (size_t)(address - low) >> log2;
		if (segments + segment >= segments_end || segments[segment] == 0xff) {
			return NULL;
		}
		/* A segment says how far to go back, in hops of at most 254. */
		while (segments[segment] > 0) {
			if (segments[segment] == 0xff || segments[segment] > segment) {
				return NULL;
			}
			segment -= segments[segment];
		}
		const char* block = low + (segment << log2);
		*limit = high;
		return block < address && *(const uint8_t*)(block + vm.block_used) == 1 ? block + vm.block_size : NULL;
	}
	return NULL;
}

typedef struct {
	int32_t compile_id;
	int32_t level;
	int32_t entry_bci;
	/* From the start of the code; UNKNOWN where it is not told. */
	uint32_t stub_start, exception_start, deopt_start, verified_entry, osr_entry;
	/* Of the code with its stubs, and of the constants before it, from where relocations are counted. */
	uint32_t code_size, constants_size;
	const char* relocations;
	uint32_t relocations_size;
	const char* oop_maps;
	/* What the JVM calls code of this kind; NULL where it is not told. */
	const char* name;
} Compiled;

static uint32_t within(int64_t offset, uint32_t size) { return offset >= 0 && offset <= (int64_t)size ? (uint32_t)offset : UNKNOWN; }

static void read_relocations(const char* blob, const char* limit, Compiled* result) {
	if (vm.blob_header_size < 0) {
		return;
	}
	int32_t header = vm.is_header_size_short ? read16(blob, vm.blob_header_size) : read32(blob, vm.blob_header_size);
	const char* from = blob + header;
	int64_t size = -1;
	if (vm.blob_relocation_size >= 0) {
		size = read32(blob, vm.blob_relocation_size);
		if (vm.blob_mutable_data >= 0) {
			from = (const char*)(uintptr_t)read64(blob, vm.blob_mutable_data);
		}
	} else if (vm.blob_data_end >= 0 && vm.blob_content_begin >= 0) {
		/* Until JDK 20 two pointers follow the end of the data; the first has to be the end of the header. */
		const char* begin_relocations = (const char*)(uintptr_t)read64(blob, vm.blob_data_end + 8);
		const char* end_relocations = (const char*)(uintptr_t)read64(blob, vm.blob_data_end + 16);
		const char* content = (const char*)(uintptr_t)read64(blob, vm.blob_content_begin);
		size = begin_relocations == from && end_relocations >= from && end_relocations <= content ? end_relocations - from : -1;
	}
	bool is_inside = from >= blob && from + size <= limit;
	if (size > 0 && size < (int64_t)LARGEST_CODE && (is_inside || vm.blob_mutable_data >= 0)) {
		result->relocations = from;
		result->relocations_size = (uint32_t)size;
	}
}

/* What the JVM's memory says of code that JVMTI told of; all unknown where the two do not agree. */
static Compiled read_compiled(const char* address, uint32_t size) {
	Compiled result = {-1, -1, -1, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, size, 0, NULL, 0, NULL, NULL};
	const char* limit = NULL;
	const char* blob = find_blob(address, &limit);
	if (blob == NULL) {
		return result;
	}
	const char* code = NULL;
	const char* code_end = NULL;
	if (vm.blob_code_begin >= 0 && vm.blob_code_end >= 0) {
		code = (const char*)(uintptr_t)read64(blob, vm.blob_code_begin);
		code_end = (const char*)(uintptr_t)read64(blob, vm.blob_code_end);
	} else if (vm.blob_code_offset >= 0 && vm.blob_data_offset >= 0) {
		code = blob + read32(blob, vm.blob_code_offset);
		code_end = blob + read32(blob, vm.blob_data_offset);
	}
	if (code != address || code_end < address + size || code_end > limit || (uint64_t)(code_end - address) > LARGEST_CODE) {
		return result;
	}
	result.code_size = (uint32_t)(code_end - address);
	if (vm.blob_name >= 0) {
		result.name = (const char*)(uintptr_t)read64(blob, vm.blob_name);
	}
	if (vm.compile_id >= 0) {
		result.compile_id = read32(blob, vm.compile_id);
	}
	if (vm.level >= 0) {
		/* A byte or an int, of the levels 0 to 4: the low byte comes first. */
		result.level = *(const signed char*)(blob + vm.level);
	}
	if (vm.entry_bci >= 0) {
		result.entry_bci = read32(blob, vm.entry_bci);
	}
	int64_t from_header = address - blob;
	if (vm.stub_offset >= 0) {
		result.stub_start = within(read32(blob, vm.stub_offset) - from_header, result.code_size);
	}
	if (vm.exception_offset >= 0) {
		result.exception_start = within(read32(blob, vm.exception_offset) - from_header, result.code_size);
	}
	if (vm.deopt_offset >= 0) {
		result.deopt_start = within(read32(blob, vm.deopt_offset) - from_header, result.code_size);
	} else if (vm.deopt_begin >= 0) {
		result.deopt_start = within((const char*)(uintptr_t)read64(blob, vm.deopt_begin) - address, result.code_size);
	}
	if (vm.verified_entry >= 0) {
		result.verified_entry = within((const char*)(uintptr_t)read64(blob, vm.verified_entry) - address, result.code_size);
	} else if (vm.verified_offset >= 0) {
		result.verified_entry = within(read16(blob, vm.verified_offset), result.code_size);
	}
	if (vm.osr_entry >= 0 && result.entry_bci >= 0) {
		result.osr_entry = within((const char*)(uintptr_t)read64(blob, vm.osr_entry) - address, result.code_size);
	}
	const char* content = vm.blob_content_begin >= 0 ? (const char*)(uintptr_t)read64(blob, vm.blob_content_begin) :
		vm.blob_content_offset >= 0 ? blob + read32(blob, vm.blob_content_offset) : NULL;
	if (content != NULL && content <= address && content >= blob) {
		result.constants_size = (uint32_t)(address - content);
		read_relocations(blob, limit, &result);
	}
	if (vm.blob_oop_maps >= 0 && vm.maps_count >= 0 && vm.maps_size > 0 && vm.pair_pc >= 0 && vm.pair_size > 0) {
		result.oop_maps = (const char*)(uintptr_t)read64(blob, vm.blob_oop_maps);
	}
	return result;
}

/* ---- methods ---- */

static JNIEnv* current_jni(void) {
	JNIEnv* jni = NULL;
	return (*java_vm)->GetEnv(java_vm, (void**)&jni, JNI_VERSION_1_6) == JNI_OK ? jni : NULL;
}

typedef struct {
	jmethodID id;
	uint32_t number;
	/* Or somebody is about to. */
	bool is_described;
} KnownMethod;

static pthread_mutex_t methods_lock = PTHREAD_MUTEX_INITIALIZER;
static KnownMethod* methods;
static uint32_t methods_capacity;
static uint32_t methods_count;
static uint32_t next_method;

static KnownMethod* method_place(KnownMethod* table, uint32_t capacity, jmethodID id) {
	uint64_t hash = (uint64_t)(uintptr_t)id * 0x9e3779b97f4a7c15u;
	uint32_t at = (uint32_t)(hash >> 32) & (capacity - 1);
	while (table[at].id != NULL && table[at].id != id) {
		at = (at + 1) & (capacity - 1);
	}
	return &table[at];
}

static bool grow_methods(void) {
	uint32_t capacity = methods_capacity == 0 ? 4096 : methods_capacity * 2;
	KnownMethod* larger = calloc(capacity, sizeof *larger);
	if (larger == NULL) {
		return false;
	}
	for (uint32_t i = 0; i < methods_capacity; i++) {
		if (methods[i].id != NULL) {
			*method_place(larger, capacity, methods[i].id) = methods[i];
		}
	}
	free(methods);
	methods = larger;
	methods_capacity = capacity;
	return true;
}

/* The number of a method; `is_new` when it has to be described. */
static uint32_t number_of(jmethodID id, bool* is_new) {
	*is_new = false;
	if (id == NULL) {
		return UNKNOWN;
	}
	pthread_mutex_lock(&methods_lock);
	if (methods_count >= MOST_METHODS) {
		memset(methods, 0, methods_capacity * sizeof *methods);
		methods_count = 0;
	}
	uint32_t number = UNKNOWN;
	if (methods_count * 2 < methods_capacity || grow_methods()) {
		KnownMethod* place = method_place(methods, methods_capacity, id);
		if (place->id == NULL) {
			*place = (KnownMethod){id, next_method++, false};
			methods_count++;
		}
		*is_new = !place->is_described;
		place->is_described = true;
		number = place->number;
	}
	pthread_mutex_unlock(&methods_lock);
	return number;
}

/* Its description was not written: it is tried again the next time. */
static void is_not_described(jmethodID id) {
	pthread_mutex_lock(&methods_lock);
	if (methods_capacity > 0) {
		method_place(methods, methods_capacity, id)->is_described = false;
	}
	pthread_mutex_unlock(&methods_lock);
}

static void release(void* memory) {
	if (memory != NULL) {
		(*jvmti)->Deallocate(jvmti, memory);
	}
}

/* ---- classes ---- */

/* Classes that were described, by the hash of their name and their identity; at most so many are known at once. */
enum { MOST_CLASSES = 1 << 16 };
typedef struct {
	uint64_t hash;
	jweak class;
	uint32_t number;
} KnownClass;

static pthread_mutex_t classes_lock = PTHREAD_MUTEX_INITIALIZER;
static KnownClass* classes;
static uint32_t classes_count;
static uint32_t next_class;

static uint32_t number_of_class(JNIEnv* jni, jclass class, const char* signature, bool* is_new) {
	uint64_t hash = 14695981039346656037u;
	for (const char* at = signature; *at != 0; at++) {
		hash = (hash ^ (uint8_t)*at) * 1099511628211u;
	}
	hash |= 1;
	*is_new = false;
	uint32_t number = UNKNOWN;
	pthread_mutex_lock(&classes_lock);
	if (classes == NULL) {
		classes = calloc(MOST_CLASSES, sizeof *classes);
	}
	for (uint32_t at = (uint32_t)(hash >> 40); classes != NULL; at++) {
		KnownClass* place = &classes[at & (MOST_CLASSES - 1)];
		if (place->hash == hash && (*jni)->IsSameObject(jni, place->class, class)) {
			number = place->number;
			break;
		}
		if (place->hash == 0) {
			jweak reference = classes_count < MOST_CLASSES / 2 ? (*jni)->NewWeakGlobalRef(jni, class) : NULL;
			if (reference != NULL) {
				*place = (KnownClass){hash, reference, next_class};
				classes_count++;
			}
			/* A class for which there is no place is described with each of its methods. */
			number = next_class++;
			*is_new = true;
			break;
		}
	}
	pthread_mutex_unlock(&classes_lock);
	return number;
}

/* The constant pool as in a class file: the names of what is called and of fields are in it. */
static uint32_t describe_class(JNIEnv* jni, jclass class, const char* signature) {
	bool is_new;
	uint32_t number = number_of_class(jni, class, signature, &is_new);
	if (is_new) {
		jint count = 0, size = 0;
		unsigned char* pool = NULL;
		if ((*jvmti)->GetConstantPool(jvmti, class, &count, &size, &pool) != JVMTI_ERROR_NONE) {
			count = size = 0;
			pool = NULL;
		}
		Record record = begin(KIND_CLASS);
		put32(&record, number);
		put32(&record, (uint32_t)count);
		put32(&record, (uint32_t)size);
		put(&record, pool, (size_t)size);
		finish(&record);
		release(pool);
	}
	return number;
}

static bool describe_method(JNIEnv* jni, jmethodID id, uint32_t number) {
	char *name = NULL, *signature = NULL, *holder = NULL, *source = NULL;
	jclass class = NULL;
	uint32_t class_number = UNKNOWN;
	jint modifiers = 0, line_count = 0, bytecode_size = 0;
	jvmtiLineNumberEntry* lines = NULL;
	unsigned char* bytecodes = NULL;
	if ((*jvmti)->GetMethodName(jvmti, id, &name, &signature, NULL) != JVMTI_ERROR_NONE) {
		name = signature = NULL;
	}
	if ((*jvmti)->GetMethodDeclaringClass(jvmti, id, &class) == JVMTI_ERROR_NONE) {
		if ((*jvmti)->GetClassSignature(jvmti, class, &holder, NULL) != JVMTI_ERROR_NONE) {
			holder = NULL;
		}
		if (holder != NULL && jni != NULL) {
			class_number = describe_class(jni, class, holder);
		}
		if ((*jvmti)->GetSourceFileName(jvmti, class, &source) != JVMTI_ERROR_NONE) {
			source = NULL;
		}
	}
	(*jvmti)->GetMethodModifiers(jvmti, id, &modifiers);
	if ((*jvmti)->GetLineNumberTable(jvmti, id, &line_count, &lines) != JVMTI_ERROR_NONE) {
		line_count = 0;
		lines = NULL;
	}
	if ((*jvmti)->GetBytecodes(jvmti, id, &bytecode_size, &bytecodes) != JVMTI_ERROR_NONE) {
		bytecode_size = 0;
		bytecodes = NULL;
	}
	Record record = begin(KIND_METHOD);
	put32(&record, number);
	put32(&record, class_number);
	put32(&record, (uint32_t)modifiers);
	put32(&record, (uint32_t)line_count);
	put32(&record, (uint32_t)bytecode_size);
	for (jint i = 0; i < line_count; i++) {
		put32(&record, (uint32_t)lines[i].start_location);
		put32(&record, (uint32_t)lines[i].line_number);
	}
	put(&record, bytecodes, (size_t)bytecode_size);
	put_text(&record, holder);
	put_text(&record, name);
	put_text(&record, signature);
	put_text(&record, source);
	bool is_written = finish(&record);
	release(name);
	release(signature);
	release(holder);
	release(source);
	release(lines);
	release(bytecodes);
	return is_written;
}

static uint32_t describe(JNIEnv* jni, jmethodID id) {
	bool is_new;
	uint32_t number = number_of(id, &is_new);
	if (is_new) {
		/* The class that GetMethodDeclaringClass gives is a local reference. */
		bool has_frame = jni != NULL && (*jni)->PushLocalFrame(jni, 8) == 0;
		if (!describe_method(jni, id, number)) {
			is_not_described(id);
		}
		if (has_frame) {
			(*jni)->PopLocalFrame(jni, NULL);
		}
	}
	return number;
}

/* ---- events ---- */

static void put_oop_maps(Record* record, const Compiled* compiled) {
	int32_t count = compiled->oop_maps == NULL ? 0 : read32(compiled->oop_maps, vm.maps_count);
	if (count < 0 || count > (1 << 20)) {
		count = 0;
	}
	put32(record, (uint32_t)count);
	for (int32_t i = 0; i < count; i++) {
		put32(record, (uint32_t)read32(compiled->oop_maps + vm.maps_size + i * vm.pair_size, vm.pair_pc));
	}
}

/* ---- methods that ran in the interpreter ---- */

#ifdef TELLS_INTERPRETED

/* Reads what may not be there. */
static bool try_read(const char* from, int64_t offset, void* to, size_t length) {
	struct iovec target = {to, length}, source = {(void*)(uintptr_t)(from + offset), length};
	return offset >= 0 && process_vm_readv(getpid(), &target, 1, &source, 1, 0) == (ssize_t)length;
}

/* Whether the ids of methods point to where the JVM has its structure of them: so up to JDK 25. From that of a method of Object the name of its class is reached. */
static bool is_id_of_object_method(jmethodID id) {
	static const char expected[] = "java/lang/Object";
	const char *method, *constant, *constants, *holder, *symbol;
	uint16_t length = 0;
	char name[sizeof expected] = {0};
	return try_read((const char*)id, 0, &method, sizeof method) && try_read(method, vm.method_const, &constant, sizeof constant) &&
		try_read(constant, vm.const_constants, &constants, sizeof constants) && try_read(constants, vm.constants_holder, &holder, sizeof holder) &&
		try_read(holder, vm.class_name, &symbol, sizeof symbol) && try_read(symbol, vm.symbol_length, &length, sizeof length) &&
		length == sizeof expected - 1 && try_read(symbol, vm.symbol_body, name, length) && memcmp(name, expected, length) == 0;
}

static bool do_ids_point_to_methods(JNIEnv* jni) {
	jclass object = (*jni)->FindClass(jni, "java/lang/Object");
	jmethodID id = object == NULL ? NULL : (*jni)->GetMethodID(jni, object, "hashCode", "()I");
	(*jni)->ExceptionClear(jni);
	return id != NULL && is_id_of_object_method(id);
}

/* Writes those of a class, for they have counters, or all; the result is how many. */
static uint32_t write_interpreted_of(jclass class, bool is_all) {
	jint count = 0;
	jmethodID* ids = NULL;
	char* holder = NULL;
	uint32_t written = 0;
	Record rows = {0};
	if ((*jvmti)->GetClassMethods(jvmti, class, &count, &ids) != JVMTI_ERROR_NONE) {
		return 0;
	}
	for (jint i = 0; i < count; i++) {
		const char* method = (const char*)(uintptr_t)read64((const char*)ids[i], 0);
		if (method == NULL || (!is_all && read64(method, vm.method_counters) == 0)) {
			continue;
		}
		char* name = NULL;
		if ((*jvmti)->GetMethodName(jvmti, ids[i], &name, NULL, NULL) == JVMTI_ERROR_NONE) {
			jlocation first = 0, last = -1;
			(*jvmti)->GetMethodLocation(jvmti, ids[i], &first, &last);
			put64(&rows, (uint64_t)(uintptr_t)method);
			/* -1 of a native one. */
			put32(&rows, (uint32_t)(last + 1));
			put_text(&rows, name);
			release(name);
			written++;
		}
	}
	if (written > 0 && (*jvmti)->GetClassSignature(jvmti, class, &holder, NULL) == JVMTI_ERROR_NONE) {
		Record record = begin(KIND_INTERPRETED);
		put_text(&record, holder);
		put32(&record, written);
		put(&record, rows.bytes, rows.length);
		record.failed |= rows.failed;
		finish(&record);
	}
	free(rows.bytes);
	release(holder);
	release(ids);
	return written;
}

/* The frames of the interpreter hold the addresses of the JVM's structures of methods. Of classes that were unloaded nothing is known any more. */
static void write_interpreted(JNIEnv* jni) {
	jint count = 0;
	jclass* classes_now = NULL;
	if (jni == NULL || vm.method_counters < 0 || !do_ids_point_to_methods(jni) ||
		(*jvmti)->GetLoadedClasses(jvmti, &count, &classes_now) != JVMTI_ERROR_NONE) {
		return;
	}
	uint64_t written = 0;
	for (jint i = 0; i < count; i++) {
		written += write_interpreted_of(classes_now[i], false);
	}
	/* An interpreter that nothing is compiled for does not count. */
	for (jint i = 0; i < count && written == 0; i++) {
		write_interpreted_of(classes_now[i], true);
	}
	for (jint i = 0; i < count; i++) {
		(*jni)->DeleteLocalRef(jni, classes_now[i]);
	}
	release(classes_now);
}

#else

static void write_interpreted(JNIEnv* jni) { (void)jni; }

#endif

/* ---- code that JVMTI is not told of ---- */

/*
 * What Truffle compiles (functions of JavaScript, Python, Ruby) it installs by JVMCI without a task of the JVM, and for that no event is sent; asked for all code
 * there is, the JVM tells of it. Asking costs as much as all code that there is, so it is done only where the code cache has code that was not told of, and for
 * a fiftieth of the time at most.
 */
enum { LOOK_MS = 500, SHARE_OF_ASKING = 50, MOST_TOLD = 1 << 22 };

/* The ids of compilations that were told of, a bit each; NULL where JVMCI is off. */
static _Atomic uint8_t* told;
/* What the JVM calls compiled code: one text, of which the address tells. */
static _Atomic(const char*) name_of_compiled;
/* Counted up with each file: a thread that watches for an earlier one ends. */
static atomic_uint watch_number;
static pthread_mutex_t asking_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t asked_at;

/* Whether this compilation was told of before; from now on it is. */
static bool is_told(const Compiled* compiled) {
	if (told == NULL || compiled->compile_id < 0 || compiled->compile_id >= MOST_TOLD) {
		return false;
	}
	if (compiled->level > 0) {
		atomic_store(&name_of_compiled, compiled->name);
	}
	uint8_t bit = (uint8_t)(1 << compiled->compile_id % 8);
	return (atomic_fetch_or(&told[compiled->compile_id / 8], bit) & bit) != 0;
}

/* Whether a heap of the code cache has code of the top tier that was not told of. Read without the JVM's lock: what is read lies inside of the heap, whatever it says. */
static bool has_untold_in(const char* heap) {
	const char* memory = heap + vm.heap_memory;
	const char* block = (const char*)(uintptr_t)read64(memory, vm.space_low);
	const char* high = (const char*)(uintptr_t)read64(memory, vm.space_high);
	int32_t log2 = read32(heap, vm.heap_log2);
	const char* name = atomic_load(&name_of_compiled);
	while (log2 >= 0 && log2 <= 20 && high - block > 1024) {
		uint64_t length = vm.is_block_length_short ? (uint32_t)read32(block, vm.block_length) : read64(block, vm.block_length);
		const char* blob = block + vm.block_size;
		if (*(const uint8_t*)(block + vm.block_used) == 1 && (const char*)(uintptr_t)read64(blob, vm.blob_name) == name && *(const signed char*)(blob + vm.level) == 4) {
			int32_t id = read32(blob, vm.compile_id);
			if (id >= 0 && id < MOST_TOLD && (atomic_load(&told[id / 8]) & (1 << id % 8)) == 0) {
				return true;
			}
		}
		if (length == 0 || length > (uint64_t)(high - block) >> log2) {
			break;
		}
		block += length << log2;
	}
	return false;
}

static bool has_untold(void) {
	if (told == NULL || atomic_load(&name_of_compiled) == NULL || vm.heaps == NULL || *vm.heaps == NULL) {
		return false;
	}
	const char* array = *vm.heaps;
	int32_t count = read32(array, vm.array_length);
	const char* const* heaps = (const char* const*)(uintptr_t)read64(array, vm.array_data);
	for (int32_t i = 0; i < count && i < 16; i++) {
		if (has_untold_in(heaps[i])) {
			return true;
		}
	}
	return false;
}

/* Asks for all code where some was not told of; the result is how long that took. */
static uint64_t ask_for_untold(void) {
	if (!has_untold()) {
		return 0;
	}
	pthread_mutex_lock(&asking_lock);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	asked_before = asked_at;
	asked_at = now;
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
	asked_before = 0;
	pthread_mutex_unlock(&asking_lock);
	return clock_ns(CLOCK_MONOTONIC) - now;
}

static void JNICALL watch(jvmtiEnv* env, JNIEnv* jni, void* number) {
	(void)env;
	(void)jni;
	bool was_untold = false;
	for (uint64_t rest_ns = 0; atomic_load(&watch_number) == (uintptr_t)number && atomic_load(&file) >= 0;) {
		struct timespec pause = {0, LOOK_MS * 1000000L};
		nanosleep(&pause, NULL);
		if (rest_ns > LOOK_MS * 1000000u) {
			rest_ns -= LOOK_MS * 1000000u;
			continue;
		}
		rest_ns = 0;
		/* The JVM tells of other code a little after it was installed. */
		bool is_untold = has_untold();
		if (is_untold && was_untold) {
			atomic_fetch_add(&events_under_way, 1);
			rest_ns = atomic_load(&watch_number) == (uintptr_t)number ? ask_for_untold() * SHARE_OF_ASKING : 0;
			atomic_fetch_sub(&events_under_way, 1);
			is_untold = false;
		}
		was_untold = is_untold;
	}
}

/* Where code can be installed that the JVM does not tell of; before any code is told of in this file. */
static void prepare_watching(void) {
	if (told != NULL) {
		memset((void*)told, 0, MOST_TOLD / 8);
		asked_at = clock_ns(CLOCK_MONOTONIC);
		return;
	}
	if (flag_value("EnableJVMCI") == 1 && vm.compile_id >= 0 && vm.level >= 0 && vm.block_length >= 0 && vm.block_used >= 0 && vm.block_size > 0 &&
		vm.blob_name >= 0 && vm.heap_memory >= 0 && vm.heap_log2 >= 0 && vm.space_low >= 0 && vm.space_high >= 0) {
		told = calloc(MOST_TOLD / 8, 1);
		asked_at = clock_ns(CLOCK_MONOTONIC);
	}
}

static void begin_watching(JNIEnv* jni) {
	if (told == NULL || jni == NULL) {
		return;
	}
	jclass thread_class = (*jni)->FindClass(jni, "java/lang/Thread");
	jmethodID constructor = thread_class == NULL ? NULL : (*jni)->GetMethodID(jni, thread_class, "<init>", "(Ljava/lang/String;)V");
	jstring name = constructor == NULL ? NULL : (*jni)->NewStringUTF(jni, "assay agent");
	jobject thread = name == NULL ? NULL : (*jni)->NewObject(jni, thread_class, constructor, name);
	if (thread == NULL || (*jvmti)->RunAgentThread(jvmti, thread, watch, (void*)(uintptr_t)(atomic_fetch_add(&watch_number, 1) + 1), JVMTI_THREAD_MIN_PRIORITY) != JVMTI_ERROR_NONE) {
		(*jni)->ExceptionClear(jni);
	}
}

static void JNICALL on_load(
	jvmtiEnv* env, jmethodID method, jint size, const void* address, jint map_length, const jvmtiAddrLocationMap* map, const void* compile_info) {
	(void)env;
	atomic_fetch_add(&events_under_way, 1);
	if (atomic_load(&file) < 0 || size <= 0) {
		atomic_fetch_sub(&events_under_way, 1);
		return;
	}
	Compiled compiled = read_compiled(address, (uint32_t)size);
	if (is_told(&compiled) && asked_before != 0) {
		atomic_fetch_sub(&events_under_way, 1);
		return;
	}
	JNIEnv* jni = current_jni();
	Record record = begin(KIND_LOAD);
	uint32_t bytes = compiled.code_size <= LARGEST_CODE ? compiled.code_size : 0;
	put64(&record, (uint64_t)(uintptr_t)address);
	put32(&record, (uint32_t)size);
	put32(&record, bytes);
	put32(&record, describe(jni, method));
	put32(&record, (uint32_t)compiled.compile_id);
	put32(&record, (uint32_t)compiled.level);
	put32(&record, (uint32_t)compiled.entry_bci);
	put32(&record, compiled.stub_start);
	put32(&record, compiled.exception_start);
	put32(&record, compiled.verified_entry);
	put32(&record, compiled.osr_entry);
	put32(&record, compiled.constants_size);
	put32(&record, compiled.deopt_start);
	put(&record, address, bytes);
	align8(&record);
	put32(&record, compiled.relocations_size);
	put(&record, compiled.relocations, compiled.relocations_size);
	align8(&record);
	put_oop_maps(&record, &compiled);
	uint32_t pc_count = 0;
	const jvmtiCompiledMethodLoadRecordHeader* header = compile_info;
	for (; header != NULL; header = header->next) {
		if (header->kind == JVMTI_CMLR_INLINE_INFO) {
			pc_count += (uint32_t)((const jvmtiCompiledMethodLoadInlineRecord*)header)->numpcs;
		}
	}
	bool is_map_used = pc_count == 0 && map_length > 0 && map != NULL;
	put32(&record, is_map_used ? (uint32_t)map_length : pc_count);
	for (header = compile_info; header != NULL; header = header->next) {
		if (header->kind != JVMTI_CMLR_INLINE_INFO) {
			continue;
		}
		const jvmtiCompiledMethodLoadInlineRecord* inlining = (const void*)header;
		for (jint i = 0; i < inlining->numpcs; i++) {
			const PCStackInfo* pc = &inlining->pcinfo[i];
			put32(&record, (uint32_t)((const char*)pc->pc - (const char*)address));
			put32(&record, (uint32_t)pc->numstackframes);
			for (jint j = 0; j < pc->numstackframes; j++) {
				put32(&record, describe(jni, pc->methods[j]));
				put32(&record, (uint32_t)pc->bcis[j]);
			}
		}
	}
	for (jint i = 0; is_map_used && i < map_length; i++) {
		put32(&record, (uint32_t)((const char*)map[i].start_address - (const char*)address));
		put32(&record, 1);
		put32(&record, describe(jni, method));
		put32(&record, (uint32_t)map[i].location);
	}
	finish(&record);
	atomic_fetch_sub(&events_under_way, 1);
}

static void JNICALL on_unload(jvmtiEnv* env, jmethodID method, const void* address) {
	(void)env;
	(void)method;
	Record record = begin(KIND_UNLOAD);
	put64(&record, (uint64_t)(uintptr_t)address);
	finish(&record);
}

static void JNICALL on_dynamic_code(jvmtiEnv* env, const char* name, const void* address, jint length) {
	(void)env;
	if (atomic_load(&file) < 0 || length <= 0) {
		return;
	}
	uint32_t bytes = (uint32_t)length <= LARGEST_CODE ? (uint32_t)length : 0;
	Record record = begin(KIND_DYNAMIC);
	put64(&record, (uint64_t)(uintptr_t)address);
	put32(&record, (uint32_t)length);
	put32(&record, bytes);
	put(&record, address, bytes);
	put_text(&record, name);
	finish(&record);
}

/* The interpreter is told as one piece; its parts stand in a queue. */
static void write_codelets(void) {
	void** code = static_of("AbstractInterpreter", "_code");
	int64_t buffer_offset = offset_of("StubQueue", "_stub_buffer");
	int64_t begin_offset = offset_of("StubQueue", "_queue_begin");
	int64_t end_offset = offset_of("StubQueue", "_queue_end");
	int64_t size_offset = offset_of("InterpreterCodelet", "_size");
	int64_t name_offset = offset_of("InterpreterCodelet", "_description");
	int64_t header = size_of("InterpreterCodelet");
	if (code == NULL || *code == NULL || buffer_offset < 0 || begin_offset < 0 || end_offset < 0 || size_offset < 0 || name_offset < 0 || header <= 0) {
		return;
	}
	const char* queue = *code;
	const char* buffer = (const char*)(uintptr_t)read64(queue, buffer_offset);
	int32_t end = read32(queue, end_offset);
	for (int32_t at = read32(queue, begin_offset); at >= 0 && at < end;) {
		const char* codelet = buffer + at;
		int32_t size = read32(codelet, size_offset);
		if (size <= header || size > end - at) {
			return;
		}
		/* Code begins at the next multiple of CodeEntryAlignment, 32 on x86-64 and 64 on AArch64: the gap holds nothing that runs. */
		uintptr_t start = ((uintptr_t)codelet + (uintptr_t)header + 31) & ~(uintptr_t)31;
		Record record = begin(KIND_CODELET);
		put64(&record, start);
		put32(&record, (uint32_t)((uintptr_t)codelet + (uintptr_t)size - start));
		put_text(&record, (const char*)(uintptr_t)read64(codelet, name_offset));
		finish(&record);
		at += size;
	}
}

/* NAME=VALUE, a line each, of flags that decide how code looks and when threads stop. */
static void put_flags(Record* record) {
	static const char* const wanted[] = {"DebugNonSafepoints", "UseSerialGC", "UseParallelGC", "UseG1GC", "UseZGC", "UseShenandoahGC", "UseEpsilonGC",
		"UseCountedLoopSafepoints", "LoopStripMiningIter", "TieredCompilation", "TieredStopAtLevel", "UseOnStackReplacement", "SegmentedCodeCache",
		"ReservedCodeCacheSize", "GuaranteedSafepointInterval", "MaxInlineLevel", "MaxInlineSize", "FreqInlineSize", "DontCompileHugeMethods",
		"CICompilerCount", "UseJVMCICompiler", "UseCompressedOops", "PerMethodRecompilationCutoff", "MaxNodeLimit", "BackgroundCompilation", "Inline"};
	char text[4096];
	size_t length = 0;
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && length < sizeof text - 100; i++) {
		long long number = flag_value(wanted[i]);
		if (number != NO_FLAG) {
			length += (size_t)snprintf(text + length, sizeof text - length, "%s=%lld\n", wanted[i], number);
		}
	}
	text[length] = 0;
	put_text(record, text);
}

static void put_property(Record* record, const char* name) {
	char* value = NULL;
	if ((*jvmti)->GetSystemProperty(jvmti, name, &value) != JVMTI_ERROR_NONE) {
		value = NULL;
	}
	put_text(record, value);
	release(value);
}

/* The arguments of the process, each ended by a zero byte; empty where the system does not tell them. */
static void put_command(Record* record) {
	char text[8192];
	int from = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = from < 0 ? 0 : read(from, text, sizeof text);
	if (from >= 0) {
		close(from);
	}
	put32(record, length > 0 ? (uint32_t)length : 0);
	put(record, text, length > 0 ? (size_t)length : 0);
}

static void write_jvm(uint32_t how) {
	Record record = begin(KIND_JVM);
	put32(&record, how);
	put32(&record, ELF_MACHINE);
	put_property(&record, "java.vm.name");
	put_property(&record, "java.vm.version");
	put_command(&record);
	put_flags(&record);
	finish(&record);
}

/* Rows of /proc/self/maps that can be executed: which library a call leads into. */
static void write_mappings(void) {
	FILE* maps = fopen("/proc/self/maps", "re");
	if (maps == NULL) {
		return;
	}
	Record text = {0};
	char line[4200];
	while (fgets(line, sizeof line, maps) != NULL) {
		const char* permissions = strchr(line, ' ');
		if (permissions != NULL && strlen(permissions) > 4 && permissions[3] == 'x' && strchr(line, '/') != NULL) {
			put(&text, line, strlen(line));
		}
	}
	fclose(maps);
	Record record = begin(KIND_MAPPINGS);
	put32(&record, (uint32_t)text.length);
	put(&record, text.bytes, text.length);
	finish(&record);
	free(text.bytes);
}

static void write_end(uint32_t why) {
	Record record = begin(KIND_END);
	put32(&record, why);
	put32(&record, 0);
	put64(&record, atomic_load(&lost_records));
	finish(&record);
}

static void JNICALL on_vm_init(jvmtiEnv* env, JNIEnv* jni, jthread thread) {
	(void)env;
	(void)thread;
	write_jvm(STARTED);
	write_codelets();
	write_mappings();
	begin_watching(jni);
}

static void JNICALL on_vm_death(jvmtiEnv* env, JNIEnv* jni) {
	(void)env;
	ask_for_untold();
	write_interpreted(jni);
	write_mappings();
	write_end(END_EXIT);
}

/* ---- start and end ---- */

static bool open_file(const char* pattern) {
	if (*pattern == 0) {
		fprintf(stderr, "assay agent: say where to write: -agentpath:LIBRARY=FILE\n");
		return false;
	}
	char path[4096];
	size_t length = 0;
	for (const char* at = pattern; *at != 0 && length < sizeof path - 24; at++) {
		if (at[0] == '%' && at[1] == 'p') {
			length += (size_t)snprintf(path + length, 24, "%ld", (long)getpid());
			at++;
		} else {
			path[length++] = *at;
		}
	}
	path[length] = 0;
	int opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (opened < 0) {
		fprintf(stderr, "assay agent: %s cannot be written: %s\n", path, strerror(errno));
		return false;
	}
	struct {
		char magic[8];
		uint32_t version, byte_order;
		uint64_t monotonic, realtime;
		uint32_t process, reserved;
	} header = {{'A', 'S', 'S', 'A', 'Y', 'J', 'V', 'M'}, VERSION, BYTE_ORDER_MARK, clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_REALTIME), (uint32_t)getpid(), 0};
	atomic_store(&lost_records, 0);
	atomic_store(&file, opened);
	if (!write_bytes(&header, sizeof header)) {
		fprintf(stderr, "assay agent: %s cannot be written: %s\n", path, strerror(errno));
		close_file();
		return false;
	}
	return true;
}

static bool begin_events(bool is_attached) {
	if ((*java_vm)->GetEnv(java_vm, (void**)&jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
		jvmti = NULL;
		return false;
	}
	jvmtiCapabilities wanted = {0};
	wanted.can_generate_compiled_method_load_events = 1;
	if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE) {
		(*jvmti)->DisposeEnvironment(jvmti);
		jvmti = NULL;
		return false;
	}
	jvmtiCapabilities details = {0};
	details.can_get_line_numbers = 1;
	details.can_get_source_file_name = 1;
	details.can_get_bytecodes = 1;
	details.can_get_constant_pool = 1;
	(*jvmti)->AddCapabilities(jvmti, &details);
	jvmtiEventCallbacks callbacks = {0};
	callbacks.CompiledMethodLoad = on_load;
	callbacks.CompiledMethodUnload = on_unload;
	callbacks.DynamicCodeGenerated = on_dynamic_code;
	callbacks.VMInit = on_vm_init;
	callbacks.VMDeath = on_vm_death;
	(*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
	static const jvmtiEvent events[] = {JVMTI_EVENT_DYNAMIC_CODE_GENERATED, JVMTI_EVENT_COMPILED_METHOD_LOAD, JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
		JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_VM_INIT};
	for (size_t i = 0; i < sizeof events / sizeof events[0] - (is_attached ? 1 : 0); i++) {
		(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL);
	}
	return true;
}

static void stop(void) {
	if (jvmti == NULL) {
		return;
	}
	atomic_fetch_add(&watch_number, 1);
	ask_for_untold();
	static const jvmtiEvent events[] = {JVMTI_EVENT_DYNAMIC_CODE_GENERATED, JVMTI_EVENT_COMPILED_METHOD_LOAD, JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
		JVMTI_EVENT_VM_DEATH};
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, events[i], NULL);
	}
	/* Threads that still tell of code, for some seconds at most: what one of them describes belongs to this file. The environment stays for them. */
	for (int i = 0; i < 2000 && atomic_load(&events_under_way) > 0; i++) {
		struct timespec millisecond = {0, 1000000};
		nanosleep(&millisecond, NULL);
	}
	write_interpreted(current_jni());
	write_end(END_STOPPED);
	close_file();
	pthread_mutex_lock(&methods_lock);
	free(methods);
	methods = NULL;
	methods_capacity = methods_count = 0;
	pthread_mutex_unlock(&methods_lock);
	JNIEnv* jni = current_jni();
	pthread_mutex_lock(&classes_lock);
	for (uint32_t i = 0; classes != NULL && i < MOST_CLASSES; i++) {
		if (classes[i].class != NULL && jni != NULL) {
			(*jni)->DeleteWeakGlobalRef(jni, classes[i].class);
		}
	}
	free(classes);
	classes = NULL;
	classes_count = 0;
	pthread_mutex_unlock(&classes_lock);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* loading_vm, char* options, void* reserved) {
	(void)reserved;
	java_vm = loading_vm;
	/* Given twice, as to the JVMs that JMH forks: by the environment and by their command lines. */
	if (options != NULL && atomic_load(&file) < 0 && open_file(options)) {
		find_vm_structs();
		prepare_watching();
		if (!begin_events(false)) {
			fprintf(stderr, "assay agent: this JVM does not tell of compiled code\n");
			close_file();
		}
	}
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM* loading_vm, char* options, void* reserved) {
	(void)reserved;
	java_vm = loading_vm;
	if (options != NULL && strcmp(options, "stop") == 0) {
		stop();
		return JNI_OK;
	}
	if (atomic_load(&file) >= 0) {
		/* Somebody watches already. */
		return 2;
	}
	if (options == NULL || !open_file(options)) {
		return JNI_ERR;
	}
	if (vm_structs == NULL) {
		find_vm_structs();
	}
	prepare_watching();
	if (jvmti == NULL && !begin_events(true)) {
		close_file();
		return JNI_ERR;
	}
	static const jvmtiEvent events[] = {JVMTI_EVENT_DYNAMIC_CODE_GENERATED, JVMTI_EVENT_COMPILED_METHOD_LOAD, JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
		JVMTI_EVENT_VM_DEATH};
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL);
	}
	write_jvm(ATTACHED);
	write_mappings();
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	write_codelets();
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
	Record caught_up = begin(KIND_CAUGHT_UP);
	finish(&caught_up);
	begin_watching(current_jni());
	return JNI_OK;
}
