/** Code of a jitdump: its bytes are disassembled where somebody asks, with the lines of its tables as comments at the instructions. */
import type { Source } from '../bytes/source.js';
import { type Disassembler, sharedDisassembler } from '../disassembly/disassembler.js';
import { instructionsOfRows, type PrintedCode, type Row } from '../formats/hotspot-code/instructions.js';
import { bytesOfCode, type DumpedCode, type Jitdump, readJitdump } from '../formats/jitdump/read.js';
import { type LineEntry, linesOfCode } from '../formats/jitdump/read-lines.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { sourceComment } from '../model/source-comment.js';
import type { CodeSource } from './code-source.js';
import { type LogFile, openLogFile } from './log-file.js';

/** The file stays open until it is closed. Throws an InputError when it cannot be read; what is in it never makes it throw. */
export async function openJitdumpCode(file: LogFile): Promise<CodeSource> {
	const { source, problems } = await openLogFile(file);
	const dump = readJitdump(source);
	const { code, processId, firstSeconds, lastSeconds } = dump;
	const reader = new DumpedCodeReader(source, dump);
	return {
		file: file.name,
		code,
		processId,
		monotonic: firstSeconds === null || lastSeconds === null ? null : { startSeconds: firstSeconds, lastSeconds },
		problems: [...problems, ...dump.problems],
		read: (wanted) => reader.read(wanted),
		close: () => source.close(),
	};
}

class DumpedCodeReader {
	private readonly source: Source;
	private readonly dump: Jitdump;
	private readonly pieces: Map<GeneratedCode, DumpedCode>;
	private readonly known = new WeakMap<GeneratedCode, PrintedCode>();
	private disassembler: Disassembler | null = null;

	constructor(source: Source, dump: Jitdump) {
		this.source = source;
		this.dump = dump;
		this.pieces = new Map(dump.code.map((code) => [code, code]));
	}

	async read(wanted: Iterable<GeneratedCode>): Promise<Map<GeneratedCode, PrintedCode>> {
		const result = new Map<GeneratedCode, PrintedCode>();
		for (const code of wanted) {
			const piece = this.pieces.get(code);
			const printed = piece === undefined ? null : (this.known.get(code) ?? (await this.disassemble(piece)));
			if (printed !== null) {
				this.known.set(code, printed);
				result.set(code, printed);
			}
		}
		return result;
	}

	private async disassemble(code: DumpedCode): Promise<PrintedCode | null> {
		const bytes = bytesOfCode(this.source, code);
		if (bytes.length === 0 || this.dump.machine === null) {
			return null;
		}
		this.disassembler ??= await sharedDisassembler(this.dump.machine);
		const lines = linesOfCode(this.source, this.dump, code);
		let next = 0;
		let comments: string[] = [];
		const rows = this.disassembler.decode(bytes, code.start).map(({ address, sizeBytes, text }): Row => {
			for (; next < lines.length && lines[next]!.address <= address; next++) {
				comments = [commentOf(lines[next]!)];
			}
			return { address, end: address + sizeBytes, text, comments, label: null };
		});
		return instructionsOfRows(rows, code.end);
	}
}

function commentOf({ file, line, column }: LineEntry): string {
	return sourceComment(`${file ?? '?'}:${line}${column === null ? '' : `:${column}`}`);
}
