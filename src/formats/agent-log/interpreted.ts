/** Methods that ran in the interpreter, by where the JVM's structures of them lay: frames of the interpreter point there. */
import type { Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import type { InterpretedMethod } from '../../model/samples.js';
import { type AgentLog, holderOf, Window } from './read.js';

/** An address, the size of the bytecode, and the length of a name. */
const ROW_BYTES = 16;

/** Those of the methods that are at some of these addresses. A record that is damaged tells of those before the damage. */
export function interpretedMethods(
	source: Source,
	{ interpreted }: Pick<AgentLog, 'interpreted'>,
	addresses: ReadonlySet<number>,
): ReadonlyMap<number, InterpretedMethod> {
	const result = new Map<number, InterpretedMethod>();
	const window = new Window(source);
	for (const { offset, sizeBytes } of addresses.size === 0 ? [] : interpreted) {
		const view = window.at(offset, sizeBytes);
		const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
		const word = (at: number): number => (at + 4 <= bytes.length ? view.getUint32(at, true) : 0);
		const holderEnd = 4 + word(0);
		let at = holderEnd + 4;
		for (let left = word(holderEnd); left > 0 && at + ROW_BYTES <= bytes.length; left--) {
			const address = word(at + 4) * 0x1_0000_0000 + word(at);
			const end = at + ROW_BYTES + word(at + 12);
			if (end > bytes.length) {
				break;
			}
			if (addresses.has(address)) {
				const name = `${holderOf(decodeUtf8(bytes, 4, holderEnd))}.${decodeUtf8(bytes, at + ROW_BYTES, end)}`;
				result.set(address, { name, bytecodeBytes: word(at + 8) });
			}
			at = end;
		}
	}
	return result;
}
