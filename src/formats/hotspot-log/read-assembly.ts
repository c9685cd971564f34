/**
 * The assembly in HotSpot's output (-XX:+PrintAssembly with hsdis or [MachCode], -XX:+LogCompilation, PrintInterpreter, PrintStubCode),
 * as JMH 1.37 reads it: an address line is one whose first word is an address; of several lines with one address the last one
 * counts. It means to sort the lines by the thread that wrote them, but does not recognize `<writer thread='N'/>`: lines stay in
 * the order of the file, and what two threads wrote at a time is interleaved.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { Assembly, NamedCode } from '../../model/assembly.js';

/** A positive number of 63 bits, without its prefix. */
const ADDRESS = /^0*(?:[0-7][0-9a-fA-F]{15}|[0-9a-fA-F]{1,15})$/;
const WORD_CHARACTERS = Uint8Array.from({ length: 128 }, (_, code) => (/\w/.test(String.fromCharCode(code)) ? 1 : 0));
/** The value of a digit in ASCII; 16: none. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) =>
	/[0-9a-fA-F]/.test(String.fromCharCode(code)) ? Number.parseInt(String.fromCharCode(code), 16) : 16,
);
const NMETHOD = '<nmethod ';

/** Never throws on content. */
export function readAssembly(source: Source): Assembly {
	const lines: string[] = [];
	let processId: number | null = null;
	forEachLine(source, (line) => {
		if (line.startsWith('<hotspot_log ')) {
			processId ??= Number(/ process='(\d+)'/.exec(line)?.[1] ?? Number.NaN);
		}
		if (!line.includes('<writer thread=') && line.trim() !== '') {
			lines.push(line);
		}
	});
	return new AssemblyReader().read(lines, Number.isNaN(processId) ? null : processId);
}

class AssemblyReader {
	private readonly jumpSources: number[] = [];
	private readonly jumpTargets: number[] = [];
	private readonly stubs: NamedCode[] = [];
	private readonly methods: NamedCode[] = [];
	private readonly versions = new Map<string, number>();

	read(lines: readonly string[], processId: number | null): Assembly {
		const addresses = new Float64Array(lines.length).fill(Number.NaN);
		let previous = '';
		for (let i = 0; i < lines.length; i++) {
			const line = lines[i]!;
			addresses[i] = this.addressLine(line);
			// A character is found much sooner than a word.
			if ((previous.includes('-') && previous.includes('--------')) || (line.includes('S') && line.includes('StubRoutines::'))) {
				this.codelet(line);
			}
			if (line.includes('<') && line.includes('<nmethod')) {
				this.nmethod(line);
			}
			previous = line;
		}
		return {
			lines,
			addresses,
			jumpSources: Float64Array.from(this.jumpSources),
			jumpTargets: Float64Array.from(this.jumpTargets),
			code: [...this.stubs, ...this.methods],
			processId,
		};
	}

	/** The address of a line, or NaN; notes what its other words may jump to. */
	private addressLine(line: string): number {
		const found = addressesOf(line, true);
		for (let i = 1; i < found.length; i++) {
			this.jumpSources.push(found[0]!);
			this.jumpTargets.push(found[i]!);
		}
		return found[0] ?? Number.NaN;
	}

	/**
	 * `invokehandle  233 invokehandle  [0x00007f631d023100, 0x00007f631d0233c0]  704 bytes`,
	 * `StubRoutines::catch_exception [0x00007feb43fa7b27, 0x00007feb43fa7b46] (31 bytes)`. What PrintStubCode calls
	 * `Decoding RuntimeStub - …` is not known to JMH 1.37.
	 */
	private codelet(line: string): void {
		const name = codeletName(line);
		const [start, end, ...more] = addressesOf(line, false);
		if (name !== undefined && start !== undefined && end !== undefined && more.length === 0) {
			this.stubs.push({ name, source: line.includes('StubRoutines::') ? 'runtime stub' : 'interpreter', start, end });
		}
	}

	private nmethod(line: string): void {
		const attributes = new Map<string, string>();
		for (const [, key = '', value = ''] of attributesOf(line).matchAll(/(?<!\w)(\w+)='([^']*)'/g)) {
			attributes.set(key, value);
		}
		const method = attributes.get('method');
		const [start] = addressesOf(attributes.get('entry') ?? '', true);
		const size = Number(attributes.get('size'));
		if (method === undefined || start === undefined || Number.isNaN(size)) {
			return;
		}
		const version = (this.versions.get(method) ?? 0) + 1;
		this.versions.set(method, version);
		const [name] = method.replaceAll('/', '.').replace(' ', '::').split(' ');
		const compiler = attributes.get('compiler');
		const level = attributes.get('level');
		this.methods.push({
			name: `${name}, version ${version}, compile id ${attributes.get('compile_id')}`,
			source: (compiler ? compiler : 'Unknown') + (level ? `, level ${level}` : ''),
			start,
			end: start + size,
		});
	}
}

/** The element up to its end; empty where it has none. */
function attributesOf(line: string): string {
	const start = line.indexOf(NMETHOD);
	const end = start < 0 ? -1 : line.indexOf('/>', start + NMETHOD.length);
	return end < 0 ? '' : line.slice(start + NMETHOD.length, end);
}

/** JMH's `^(\S.*)( +)\[(.+), (.+)[\][](.*)`, of which the first group is the name: it ends at the last bracket behind which there are two words. */
function codeletName(line: string): string | undefined {
	const last = Math.max(line.lastIndexOf('['), line.lastIndexOf(']'));
	const comma = last < 3 ? -1 : line.lastIndexOf(', ', last - 3);
	const blank = comma < 3 ? -1 : line.lastIndexOf(' [', comma - 3);
	return blank > 0 && /^\S/.test(line) ? line.slice(0, blank) : undefined;
}

/**
 * The words of a line that are addresses, `0x00007f…` or `00007f…h`: numbers from 0 to 2^63, above 2^53 rounded. With
 * `onlyIfFirst` none when the first word does not look like one; a word that looks so and is no number (`push`) is passed over.
 */
function addressesOf(line: string, onlyIfFirst: boolean): number[] {
	const trimmed = line.trim();
	const result: number[] = [];
	for (let start = 0, end: number; start < trimmed.length; start = end + 1) {
		end = start;
		while (end < trimmed.length && WORD_CHARACTERS[trimmed.charCodeAt(end)] === 1) {
			end++;
		}
		const isHexadecimal = trimmed.charCodeAt(start) === 0x30 && trimmed.charCodeAt(start + 1) === 0x78;
		if (isHexadecimal || (end > start && trimmed.charCodeAt(end - 1) === 0x68)) {
			const address = (isHexadecimal ? shortNumber(trimmed, start + 2, end) : null) ?? addressOf(trimmed.slice(start, end), isHexadecimal);
			if (!Number.isNaN(address)) {
				result.push(address);
			}
		} else if (onlyIfFirst && start === 0) {
			return result;
		}
	}
	return result;
}

/** NaN where the word is no number. */
function addressOf(word: string, isHexadecimal: boolean): number {
	const digits = isHexadecimal ? word.replaceAll('0x', '') : word.replaceAll('h', '');
	return ADDRESS.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
}

/** So many digits of a hexadecimal number are exact in a double. */
const EXACT_DIGITS = 13;

/** Of a few hexadecimal digits, as nearly all addresses are; null for all else. */
function shortNumber(text: string, from: number, to: number): number | null {
	if (to === from || to - from > EXACT_DIGITS + 3) {
		return null;
	}
	let value = 0;
	for (let at = from; at < to; at++) {
		// Words are ASCII.
		const digit = DIGITS[text.charCodeAt(at)]!;
		if (digit === 16) {
			return null;
		}
		value = value * 16 + digit;
	}
	return value < 16 ** EXACT_DIGITS ? value : null;
}
