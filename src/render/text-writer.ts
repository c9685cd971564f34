/** Lines of text with indentation, handed on in large blocks: reports run to millions of lines. */

const BLOCK_CHARACTERS = 1 << 18;
const INDENT = '    ';

export class TextWriter {
	private readonly indents: string[] = [''];
	private readonly output: (block: string) => void;
	private block = '';

	constructor(output: (block: string) => void) {
		this.output = output;
	}

	/** A line, `depth` levels of four blanks deep. */
	line(depth: number, text: string): void {
		this.block += this.indent(depth) + text + '\n';
		if (this.block.length > BLOCK_CHARACTERS) {
			this.flush();
		}
	}

	/** Text as it is. */
	raw(text: string): void {
		this.block += text;
		if (this.block.length > BLOCK_CHARACTERS) {
			this.flush();
		}
	}

	flush(): void {
		if (this.block !== '') {
			const block = this.block;
			this.block = '';
			this.output(block);
		}
	}

	private indent(depth: number): string {
		const known = this.indents[depth];
		if (known !== undefined) {
			return known;
		}
		const indent = INDENT.repeat(depth);
		if (depth < 1000) {
			this.indents[depth] = indent;
		}
		return indent;
	}
}
