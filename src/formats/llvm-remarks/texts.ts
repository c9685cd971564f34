/** Texts of remarks by number: each made once, however many there are and however long; names of templates have thousands of letters. */
import { decodeUtf8, hashBytes, StringTable } from '../../bytes/string-table.js';

export class Texts {
	private readonly table = new StringTable([]);
	/** What the table does not keep, numbered from -2 down. */
	private readonly others: string[] = [];
	private readonly otherNumbers = new Map<string, number>();

	/** `view` shows the same bytes. */
	numberOf(bytes: Uint8Array, view: DataView, start: number, end: number): number {
		const number = this.table.find(bytes, view, start, end, hashBytes(view, start, end));
		return number >= 0 ? number : this.numberOfText(decodeUtf8(bytes, start, end));
	}

	/** Of a text that does not stand in the file as it is. */
	numberOfText(text: string): number {
		let number = this.otherNumbers.get(text);
		if (number === undefined) {
			number = -2 - this.others.length;
			this.others.push(text);
			this.otherNumbers.set(text, number);
		}
		return number;
	}

	readonly text = (number: number): string => (number >= 0 ? (this.table.strings[number] ?? '') : (this.others[-2 - number] ?? ''));
}
