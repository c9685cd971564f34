/** Bytecode from the text of `javap -c` (with or without -l, -p, -v), of JDK 8 to 25. One text may hold several classes. */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { type BytecodeInstruction, constantOf, localOf, type MethodBytecode } from '../../model/bytecode.js';
import type { Problem } from '../../model/problem.js';

/** `public final class a.B<T> extends c.D {`, `interface E {` */
const CLASS = /^(?:[\w-]+ )*(?:class|interface|enum) ([\w$.]+)/;
/** `  static int longIndex(int);`, `  S6Long();`, `  static {};` */
const METHOD = /^ {2}(?:[\w<].* )?([\w$.<>]+)\([^()]*\)[^()]*;$|^ {2}static \{\};$/;
/** `      34: goto          2`, `       4: iinc          1, 1`, `      12: bipush        13` */
const INSTRUCTION = /^ +(\d+): (\w+)(?: +(-?\d+)(?:, +(-?\d+))?)?(?: .*)?$/;
/** `              1: 28`, `       default: 36` inside a switch */
const SWITCH_CASE = /^ +(?:-?\d+|default): (\d+)$/;

export function isJavap(head: string): boolean {
	return /^(?:Classfile |Compiled from "|(?:[\w-]+ )*(?:class|interface|enum) [\w$.].* \{)/m.test(head) && /^ +Code:$/m.test(head);
}

export function readJavap(source: Source): { readonly methods: readonly MethodBytecode[]; readonly problems: readonly Problem[] } {
	const methods: MethodBytecode[] = [];
	let holder = '';
	let name: string | null = null;
	let signature: string | null = null;
	let code: BytecodeInstruction[] | null = null;
	let openSwitch: { targets: number[] } | null = null;
	const finish = (): void => {
		if (code !== null && name !== null) {
			methods.push({ method: `${holder}.${name}`, signature, code });
		}
		code = null;
		openSwitch = null;
	};
	forEachLine(source, (line) => {
		const opened = /^[^\s]/.test(line) ? CLASS.exec(line) : null;
		if (opened !== null) {
			finish();
			holder = opened[1]!;
			name = null;
			return;
		}
		const method = METHOD.exec(line);
		if (method !== null) {
			finish();
			name = method[1] === undefined ? '<clinit>' : method[1] === holder ? '<init>' : method[1];
			signature = null;
			return;
		}
		const described = /^ {4}descriptor: (\S+)$/.exec(line);
		if (described !== null) {
			signature = described[1]!;
			return;
		}
		if (/^ {4}Code:$/.test(line)) {
			code = [];
			return;
		}
		if (code === null) {
			return;
		}
		const one = INSTRUCTION.exec(line);
		if (openSwitch !== null) {
			const target = SWITCH_CASE.exec(line)?.[1];
			if (target !== undefined) {
				openSwitch.targets.push(Number(target));
				return;
			}
			openSwitch = null;
		}
		if (one === null) {
			// A heading as LineNumberTable: ends the instructions.
			if (/^ {4}\w/.test(line)) {
				finish();
			}
			return;
		}
		const [, bci, opcode, first, second] = one as unknown as [string, string, string, string | undefined, string | undefined];
		const operand = first === undefined ? Number.NaN : Number(first);
		const isJump = /^(?:if|goto|jsr)/.test(opcode);
		const targets = isJump && !Number.isNaN(operand) ? [operand] : [];
		const plain = opcode.replace(/_w$/, '');
		code.push({
			bci: Number(bci),
			opcode: plain === 'goto' || plain === 'jsr' || plain === 'iinc' ? plain : opcode,
			targets,
			local: localOf(plain, operand),
			constant: plain === 'iinc' ? Number(second) : constantOf(opcode, operand),
		});
		if (/switch$/.test(opcode)) {
			openSwitch = { targets };
		}
	});
	finish();
	return { methods, problems: [] };
}
