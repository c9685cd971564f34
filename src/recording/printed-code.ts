/** The code that a JVM printed, read where somebody asks: as bytes (`[MachCode]`), or as a disassembly (hsdis). */
import { readRange, type Source } from '../bytes/source.js';
import { decodeUtf8 } from '../bytes/string-table.js';
import { unescapeXml } from '../bytes/xml-text.js';
import { type Disassembler, sharedDisassembler } from '../disassembly/disassembler.js';
import { instructionsOfRows, type ParsedFrames, type PrintedCode } from '../formats/hotspot-code/instructions.js';
import { readLateInlines } from '../formats/hotspot-code/late-inlines.js';
import { rowsOfMachineCode } from '../formats/hotspot-code/machine-code.js';
import { readMachineCodeBytes } from '../formats/hotspot-code/machine-code-bytes.js';
import { type CodeText, MOST_TEXT_BYTES, readCodeText } from '../formats/hotspot-code/read-text.js';
import type { CodeLog, LoggedCode } from '../formats/hotspot-code/scan.js';
import { withoutLateCalls } from '../formats/shared/hotspot/late-calls.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';
import type { CodeForm } from './code-source.js';
import { PrintedInstructions } from './printed-instructions.js';

export class PrintedCodeReader {
	lostLines = 0;
	codeForm: CodeForm | null = null;
	private readonly source: Source;
	private readonly log: CodeLog;
	private disassembler: Disassembler | null = null;
	private readonly known = new WeakMap<GeneratedCode, PrintedCode>();
	private readonly frames: ParsedFrames = new Map();

	constructor(source: Source, log: CodeLog) {
		this.source = source;
		this.log = log;
	}

	async read(wanted: Iterable<GeneratedCode>): Promise<Map<GeneratedCode, PrintedCode>> {
		const result = new Map<GeneratedCode, PrintedCode>();
		for (const code of wanted) {
			const { textRanges } = code as Partial<LoggedCode>;
			if (textRanges === undefined || textRanges.length === 0) {
				continue;
			}
			const known = this.known.get(code);
			if (known !== undefined) {
				result.set(code, known);
				continue;
			}
			const printed = (await this.machineCode(code as LoggedCode)) ?? (await this.wholeText(code as LoggedCode));
			const corrected =
				code.compiler === 'c2'
					? { ...printed, instructions: withoutLateCalls(printed.instructions, printed.labels, () => readLateInlines(this.source, this.log, code.compileId)) }
					: printed;
			result.set(code, corrected);
			this.known.set(code, corrected);
		}
		return result;
	}

	/** Bytes that lie together are read at once, and what is said of them where somebody asks; null where they do not. */
	private async machineCode(code: LoggedCode): Promise<PrintedCode | null> {
		const [start = 0, end = 0, ...others] = code.textRanges;
		if (others.length > 0) {
			return null;
		}
		const bytesAt = (first: number, last: number): Buffer => bufferOf(readRange(this.source, start + first, start + last));
		const text = bytesAt(0, Math.min(end - start, MOST_TEXT_BYTES));
		const machineCode = readMachineCodeBytes(text, this.log.form);
		if (machineCode === null) {
			return null;
		}
		this.lostLines += machineCode.lostLines;
		this.codeForm ??= 'MachCode';
		const disassembler = await this.openDisassembler();
		const decoded = disassembler.decodeColumns(machineCode.bytes, machineCode.address);
		const decode = (bytes: Uint8Array): string => {
			const said = decodeUtf8(bytes, 0, bytes.length);
			return this.log.form.isEscaped ? unescapeXml(said) : said;
		};
		const whole = (): Instructions => this.instructionsOf(readCodeText(this.source, code, this.log.form), code, disassembler).instructions;
		const printed = new PrintedInstructions(decoded, machineCode, text, { decode, bytesAt, whole, frames: this.frames });
		return { instructions: printed, labels: printed.labels };
	}

	private async wholeText(code: LoggedCode): Promise<PrintedCode> {
		const text = readCodeText(this.source, code, this.log.form);
		this.lostLines += text.lostLines;
		this.codeForm ??= text.chunks.length > 0 ? 'MachCode' : text.rows.length > 0 ? 'hsdis' : null;
		return this.instructionsOf(text, code, text.chunks.length > 0 ? await this.openDisassembler() : null);
	}

	private instructionsOf({ chunks, rows }: CodeText, code: LoggedCode, disassembler: Disassembler | null): PrintedCode {
		const decoded = disassembler === null ? rows : chunks.flatMap((chunk) => rowsOfMachineCode(chunk, disassembler.decodeColumns(chunk.bytes, chunk.address)));
		return instructionsOfRows(decoded, code.end, this.frames);
	}

	private async openDisassembler(): Promise<Disassembler> {
		this.disassembler ??= await sharedDisassembler(/aarch64|arm64/.test(this.log.platform ?? '') ? 'aarch64' : 'x86-64');
		return this.disassembler;
	}
}

function bufferOf(bytes: Uint8Array): Buffer {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
