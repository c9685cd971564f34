/**
 * Loops of x86-64 with one known slow instruction each, as text for GNU as. Each slow one waits for its own result of the iteration
 * before, so that the cheap ones around it are hidden behind it.
 *
 * Registers: %r14 the buffer of 64 MB, %r15 iterations left, %r8 to %r11 and %r13 the cheap instructions; the others are the kinds' own.
 */

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {'basic' | 'hard' | 'control'} group
 * @property {string} kind
 * @property {string} position
 * @property {boolean} hasSlow whether there is a label `slow_NAME`, and perhaps `twin_NAME` at a second one that is as slow
 * @property {string} text
 */

/**
 * @typedef {object} Kind
 * @property {string[]} [setup] before the loop
 * @property {string[]} [before] some instructions before the slow one
 * @property {string} slow
 * @property {string} [consumer] uses its result
 * @property {string[]} [teardown]
 */

const CHEAP = ['add $1,%r8', 'lea 3(%r9),%r9', 'xor %r8,%r10', 'sub $5,%r11', 'mov %r9,%r13', 'or $1,%r10', 'add $7,%r8', 'and $-2,%r11', 'lea (%r8,%r9),%r13'];
/** Makes %xmm0 the constant in %xmm3, not before it is known. */
const CONSTANT_AGAIN = ['andpd %xmm2,%xmm0', 'orpd %xmm3,%xmm0'];
const CONSTANTS = ['xorpd %xmm2,%xmm2', 'movapd numbers(%rip),%xmm3', 'movapd %xmm3,%xmm4', 'movapd %xmm3,%xmm0'];
const SCRATCH = 'lea scratch(%rip),%rbx';
const NEXT_RANDOM = ['imul %r12,%rsi', 'add $1,%rsi', 'mov %rsi,%rdi', 'shr $38,%rdi', 'and $-64,%rdi'];
const RANDOM = ['movabs $6364136223846793005,%r12', 'mov %r15,%rsi'];

/** @type {Record<string, Kind>} */
const KINDS = {
	'div 64': { setup: ['mov $1,%ebx', 'mov $12345,%eax'], before: ['xor %edx,%edx'], slow: 'div %rbx', consumer: 'add %rax,%rbp' },
	'idiv 32': { setup: ['mov $1,%ebx', 'mov $12345,%eax'], before: ['cltd'], slow: 'idivl %ebx', consumer: 'add %eax,%ebp' },
	sqrtsd: { setup: CONSTANTS, before: CONSTANT_AGAIN, slow: 'sqrtsd %xmm0,%xmm0', consumer: 'addsd %xmm0,%xmm5' },
	sqrtpd: { setup: CONSTANTS, before: CONSTANT_AGAIN, slow: 'sqrtpd %xmm0,%xmm0', consumer: 'addpd %xmm0,%xmm5' },
	divsd: { setup: CONSTANTS, before: CONSTANT_AGAIN, slow: 'divsd %xmm4,%xmm0', consumer: 'addsd %xmm0,%xmm5' },
	fyl2x: { setup: ['fldz'], before: ['fstp %st(0)', 'fld1', 'fldl numbers(%rip)'], slow: 'fyl2x', consumer: 'fstl -8(%rsp)', teardown: ['fstp %st(0)'] },
	chase: { setup: ['mov 16(%r14),%rax'], slow: 'mov (%rax),%rax', consumer: 'add %rax,%rbp', teardown: ['mov %rax,16(%r14)'] },
	'chase, index': { setup: ['mov 24(%r14),%rax'], slow: 'mov (%r14,%rax,8),%rax', consumer: 'add %rax,%rbp', teardown: ['mov %rax,24(%r14)'] },
	'lock add': { setup: [SCRATCH], slow: 'lock addl $1,(%rbx)' },
	'lock xadd': { setup: [SCRATCH], before: ['mov $1,%eax'], slow: 'lock xadd %eax,(%rbx)', consumer: 'add %eax,%ebp' },
	'lock cmpxchg': { setup: [SCRATCH, 'xor %eax,%eax', 'mov $1,%ecx'], slow: 'lock cmpxchg %ecx,(%rbx)', consumer: 'add %eax,%ebp' },
	mfence: { setup: [SCRATCH], before: ['mov %r8,(%rbx)'], slow: 'mfence' },
	lfence: { slow: 'lfence' },
	rdtscp: { slow: 'rdtscp', consumer: 'add %rax,%rbp' },
	'rep stosb': { setup: [SCRATCH], before: ['mov $48,%ecx', 'mov %rbx,%rdi'], slow: 'rep stosb' },
	'store forward': { setup: [SCRATCH], before: ['mov %al,3(%rbx)'], slow: 'mov (%rbx),%rax', consumer: 'add %rax,%rbp' },
};

const IMUL = { setup: ['mov $3,%ebx', 'mov $5,%eax'], slow: 'imul %rbx,%rax', consumer: 'add %rax,%rbp' };

/** @type {Record<string, (kind: Kind, slow: string[]) => { body: string[], after?: string[] }>} Loops, and what lies behind the end of them. */
const POSITIONS = {
	middle: ({ before = [] }, slow) => ({ body: ['1:', ...before, ...cheap(6), ...slow, ...cheap(6), 'dec %r15', 'jnz 1b'] }),
	'consumer next': ({ before = [], consumer = '' }, slow) => ({ body: ['1:', ...before, ...cheap(6), ...slow, consumer, ...cheap(6), 'dec %r15', 'jnz 1b'] }),
	'before back jump': ({ before = [] }, slow) => ({ body: ['1:', 'sub $1,%r15', 'jb 9f', ...before, ...cheap(10), ...slow, 'jmp 1b', '9:'] }),
	'at jump target': ({ before = [] }, slow) => ({ body: [...before, '1:', ...slow, ...cheap(6), ...before, ...cheap(5), 'dec %r15', 'jnz 1b'] }),
	'before call': ({ before = [] }, slow) => ({
		body: ['1:', ...before, ...cheap(8), ...slow, 'call 5f', ...cheap(4), 'dec %r15', 'jnz 1b'],
		after: ['5:', ...cheap(3), 'ret'],
	}),
	'before ret': ({ before = [] }, slow) => ({
		body: ['1:', 'call 5f', ...cheap(4), 'dec %r15', 'jnz 1b'],
		after: ['5:', ...before, ...cheap(8), ...slow, 'ret'],
	}),
	'falls into join': ({ before = [] }, slow) => ({
		body: ['1:', ...cheap(4), 'test $7,%r15b', 'jz 2f', ...before, ...cheap(4), ...slow, '2:', ...cheap(6), 'dec %r15', 'jnz 1b'],
	}),
	'jumps to join': ({ before = [] }, slow) => ({
		body: [
			...['1:', ...cheap(4), 'test $7,%r15b', 'jz 3f', ...before, ...cheap(5), ...slow, 'jmp 2f'],
			...['3:', ...cheap(3), '2:', ...cheap(6), 'dec %r15', 'jnz 1b'],
		],
	}),
};

const CHASE = { setup: [...CONSTANTS, 'mov 16(%r14),%rsi'], teardown: ['mov %rsi,16(%r14)'], slow: 'mov (%rsi),%rsi' };
const DIVISION = ['mov $1,%ecx', 'mov $12345,%eax', 'xor %edx,%edx'];
const [SQRT, DIVSD] = [KINDS.sqrtsd, KINDS.divsd];

/** @type {[string, string, Partial<Kind>, string[]][]} Kind, name, registers, body: `!` before the slow instruction, `=` before its twin. */
const HARD = [
	['hidden costly neighbour', 'div after a miss', CHASE, [...DIVISION, ...cheap(4), `!${CHASE.slow}`, 'div %rcx', ...cheap(6)]],
	['hidden costly neighbour', 'div before a miss', CHASE, [...DIVISION, ...cheap(4), 'div %rcx', `!${CHASE.slow}`, ...cheap(6)]],
	['hidden costly neighbour', 'sqrt after a miss', CHASE, [...cheap(4), `!${CHASE.slow}`, 'sqrtsd %xmm3,%xmm1', ...cheap(6)]],
	['hidden costly neighbour', 'sqrt before a miss', CHASE, [...cheap(4), 'sqrtsd %xmm3,%xmm1', `!${CHASE.slow}`, ...cheap(6)]],
	['hidden costly neighbour', 'lock after a miss', CHASE, [...cheap(4), `!${CHASE.slow}`, 'lock addl $1,-64(%rsp)', ...cheap(6)]],
	['hidden costly neighbour', 'lock before a miss', CHASE, [...cheap(4), 'lock addl $1,-64(%rsp)', `!${CHASE.slow}`, ...cheap(6)]],
	['hidden costly neighbour', 'load before sqrt', SQRT, [...CONSTANT_AGAIN, ...cheap(4), 'mov -64(%rsp),%rbp', `!${SQRT.slow}`, ...cheap(6)]],
	['hidden costly neighbour', 'load after sqrt', SQRT, [...CONSTANT_AGAIN, ...cheap(4), `!${SQRT.slow}`, 'mov -64(%rsp),%rbp', ...cheap(6)]],
	['hidden costly neighbour', 'imul after divsd', DIVSD, [...CONSTANT_AGAIN, ...cheap(4), `!${DIVSD.slow}`, 'imul %r8,%rbp', ...cheap(6)]],
	[
		'cold costly join',
		'falls in, hot jumps',
		SQRT,
		[...cold('jz'), ...CONSTANT_AGAIN, ...cheap(4), `!${SQRT.slow}`, 'jmp 3f', '2:', ...DIVISION, 'div %rcx', '3:', ...cheap(6)],
	],
	[
		'cold costly join',
		'jumps in, hot falls',
		SQRT,
		[...cold('jnz'), ...DIVISION, 'div %rcx', 'jmp 3f', '2:', ...CONSTANT_AGAIN, ...cheap(4), `!${SQRT.slow}`, '3:', ...cheap(6)],
	],
	['cold costly join', 'slow at the join', CHASE, [...cheap(4), ...cold('jnz'), ...DIVISION, 'div %rcx', '2:', `!${CHASE.slow}`, ...cheap(6)]],
	['cold costly join', 'slow before the test', CHASE, [...cheap(4), `!${CHASE.slow}`, ...cold('jnz'), 'lock addl $1,-64(%rsp)', '2:', ...cheap(6)]],
	['memory operand', 'add', { setup: RANDOM }, [...NEXT_RANDOM, ...cheap(4), '!add (%r14,%rdi),%rbp', ...cheap(6)]],
	['memory operand', 'cmp', { setup: RANDOM }, [...NEXT_RANDOM, ...cheap(4), '!cmp (%r14,%rdi),%rbp', ...cheap(6)]],
	['memory operand', 'cmp immediate', { setup: RANDOM }, [...NEXT_RANDOM, ...cheap(4), '!cmpq $3,(%r14,%rdi)', ...cheap(6)]],
	['independent misses', 'mov', { setup: RANDOM }, [...NEXT_RANDOM, ...cheap(4), '!mov (%r14,%rdi),%rbp', ...cheap(6)]],
	['independent misses', 'movzbl', { setup: RANDOM }, [...NEXT_RANDOM, ...cheap(4), '!movzbl (%r14,%rdi),%ebp', ...cheap(6)]],
	['store misses', 'mov', { setup: RANDOM }, [...NEXT_RANDOM, ...cheap(4), '!mov %r8,(%r14,%rdi)', ...cheap(6)]],
	['store misses', 'add', { setup: RANDOM }, [...NEXT_RANDOM, ...cheap(4), '!add %r8,(%r14,%rdi)', ...cheap(6)]],
	['xchg', 'xchg', { setup: [SCRATCH] }, [...cheap(6), '!xchg %eax,(%rbx)', ...cheap(6)]],
	['pause', 'pause', {}, [...cheap(6), '!pause', ...cheap(6)]],
	['long rep stos', '4096 bytes', { setup: ['lea large(%rip),%rbx'] }, ['mov $4096,%ecx', 'mov %rbx,%rdi', ...cheap(4), '!rep stosb', ...cheap(6)]],
	['long rep stos', '1024 bytes', { setup: ['lea large(%rip),%rbx'] }, ['mov $128,%ecx', 'mov %rbx,%rdi', ...cheap(4), '!rep stosq', ...cheap(6)]],
	[
		'indirect call',
		'sqrt before it',
		{ ...SQRT, setup: [...CONSTANTS, 'lea 5f(%rip),%rbx'] },
		[...CONSTANT_AGAIN, ...cheap(6), `!${SQRT.slow}`, 'call *%rbx', ...cheap(4)],
	],
	['fused test and jump', 'sqrt before it', SQRT, [...CONSTANT_AGAIN, ...cheap(6), `!${SQRT.slow}`, 'test %r8,%r8', 'js 8f', ...cheap(6), '8:']],
	['fused test and jump', 'compared miss', CHASE, [...cheap(6), CHASE.slow, '!cmp (%rsi),%r8', 'je 8f', ...cheap(6), '8:']],
	['two equal', 'sqrt, sqrt', SQRT, [...CONSTANT_AGAIN, ...cheap(6), `!${SQRT.slow}`, `=${SQRT.slow}`, ...cheap(6)]],
];

/** @type {[string, Partial<Kind>, string[]][]} */
const CONTROLS = [
	['independent adds', {}, repeat(17, (i) => `add $1,%${['r8', 'r9', 'r10', 'r11', 'r13', 'rbp'][i % 6]}`)],
	['dependent adds', {}, repeat(17, () => 'add $1,%r8')],
	['imul chain', IMUL, repeat(8, () => IMUL.slow)],
	['load and add', { setup: [SCRATCH] }, repeat(9, (i) => [`mov ${8 * i}(%rbx),%rax`, 'add %rax,%rbp']).flat()],
	['FP add chain', { setup: CONSTANTS }, repeat(6, () => 'addsd %xmm3,%xmm0')],
	['mispredicted branch', { setup: RANDOM }, ['imul %r12,%rsi', 'add $1,%rsi', 'bt $60,%rsi', 'jc 2f', ...cheap(6), '2:', ...cheap(6)]],
];

/** @returns {Program[]} */
export function programs() {
	/** @type {Program[]} */
	const result = [];
	/** @param {Program['group']} group @param {string} kind @param {string} position @param {Partial<Kind>} registers @param {(name: string) => { body: string[], after?: string[] }} make @param {boolean} hasSlow */
	const add = (group, kind, position, registers, make, hasSlow) => {
		const name = `${group}_${kind}_${position}`.replace(/\W+/g, '_');
		result.push({ name, group, kind, position, hasSlow, text: kernel(name, registers, make(name)) });
	};
	for (const [kind, registers] of [...Object.entries(KINDS), /** @type {[string, Kind]} */ (['imul', IMUL])]) {
		for (const [position, make] of Object.entries(POSITIONS)) {
			if (position !== 'consumer next' || registers.consumer !== undefined) {
				add(kind === 'imul' ? 'control' : 'basic', kind, position, registers, (name) => make(registers, [`slow_${name}:`, registers.slow]), true);
			}
		}
	}
	for (const [kind, position, registers, body] of HARD) {
		add('hard', kind, position, registers, (name) => ({ body: loop(body.flatMap((line) => labelled(line, name))), after: ['5:', ...cheap(3), 'ret'] }), true);
	}
	for (const [kind, registers, body] of CONTROLS) {
		add('control', kind, 'uniform', registers, () => ({ body: loop(body) }), false);
	}
	return result;
}

/** All programs as one file, with the table that driver.c looks them up in. @param {readonly Program[]} all */
export function assembly(all) {
	const table = all.flatMap(({ name }, i) => [`.quad 7${i}f, ${name}`]);
	const names = all.map(({ name }, i) => `7${i}: .asciz "${name}"`);
	return [
		...['.text', ...all.map(({ text }) => text)],
		...['.section .data.rel.ro,"aw"', '.globl kernels', 'kernels:', ...table, '.quad 0, 0'],
		...['.section .rodata', ...names, '.p2align 4', 'numbers: .double 2.5, 3.5'],
		...['.bss', '.p2align 6', 'scratch: .zero 256', 'large: .zero 8192', '.section .note.GNU-stack,"",@progbits', ''],
	].join('\n');
}

/** @param {string} name @param {Partial<Kind>} registers @param {{ body: string[], after?: string[] }} code */
function kernel(name, { setup = [], teardown = [] }, { body, after = [] }) {
	const saved = ['%rbx', '%rbp', '%r12', '%r13', '%r14', '%r15'];
	return [
		...['.p2align 6', `.globl ${name}`, `${name}:`, ...saved.map((register) => `push ${register}`), 'mov %rdi,%r14', 'mov %rsi,%r15'],
		...[...setup, '.p2align 5', ...body, ...teardown, ...saved.reverse().map((register) => `pop ${register}`), 'ret'],
		...[...after, `end_${name}:`],
	].join('\n');
}

/** @param {string[]} body */
function loop(body) {
	return ['1:', ...body, 'dec %r15', 'jnz 1b'];
}

/** @param {string} line @param {string} name */
function labelled(line, name) {
	return line.startsWith('!') ? [`slow_${name}:`, line.slice(1)] : line.startsWith('=') ? [`twin_${name}:`, line.slice(1)] : [line];
}

/** Goes to `2` once in 1024 iterations (`jz`), or in all the others (`jnz`). @param {'jz' | 'jnz'} jump */
function cold(jump) {
	return ['test $1023,%r15d', `${jump} 2f`];
}

/** @param {number} count */
function cheap(count) {
	return repeat(count, (i) => CHEAP[i % CHEAP.length]);
}

/** @template T @param {number} count @param {(index: number) => T} make @returns {T[]} */
function repeat(count, make) {
	return Array.from({ length: count }, (_, i) => make(i));
}
