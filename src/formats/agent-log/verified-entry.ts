/**
 * Code that was made not entrant begins with a jump that the JVM wrote over its first instruction (NativeJump::patch_verified_entry): on x86-64 over five bytes of
 * the seven of `mov %eax,-0x14000(%rsp)`, which touches the pages of the stack that calls may need; on AArch64 over a `nop`. An agent that is told late sees the
 * jump. The instruction that was there is the same in all code of a JVM.
 */
import { readRange, type Source } from '../../bytes/source.js';
import type { AgentLoad, AgentLog } from './read.js';

const BANG_BYTES = 7;
const JUMP_BYTES = 5;
/** `mov %eax,disp32(%rsp)` */
const BANG = [0x89, 0x84, 0x24];
const JUMP = 0xe9;
/** The upper bits of `b`; the others are the distance. */
const ARM_JUMP = 0x14;
const ARM_NOP = [0x1f, 0x20, 0x03, 0xd5];

/** The seven bytes with which code begins; null where none of it does, or on another architecture. */
export function stackBangOf(source: Source, { architecture, loads }: AgentLog): Uint8Array | null {
	for (const { verifiedEntry, code } of architecture === 'x86-64' ? loads : []) {
		const start = code.offset + (verifiedEntry ?? 0);
		const bytes = readRange(source, start, Math.min(start + BANG_BYTES, code.offset + code.sizeBytes));
		if (bytes.length === BANG_BYTES && BANG.every((byte, i) => bytes[i] === byte)) {
			return bytes;
		}
	}
	return null;
}

/** The code with its first instruction, where a jump stands over it and the rest of it is there; otherwise as it is. */
export function withVerifiedEntry(
	bytes: Uint8Array,
	{ verifiedEntry }: Pick<AgentLoad, 'verifiedEntry'>,
	{ architecture }: AgentLog,
	bang: Uint8Array | null,
): Uint8Array {
	if (verifiedEntry === null) {
		return bytes;
	}
	const original = architecture === 'aarch64' ? ARM_NOP : bang;
	const isJump =
		architecture === 'aarch64'
			? ((bytes[verifiedEntry + 3] ?? 0) & 0xfc) === ARM_JUMP
			: bytes[verifiedEntry] === JUMP && bang?.subarray(JUMP_BYTES).every((byte, i) => bytes[verifiedEntry + JUMP_BYTES + i] === byte) === true;
	if (!isJump || original === null) {
		return bytes;
	}
	const result = bytes.slice();
	result.set(original, verifiedEntry);
	return result;
}
