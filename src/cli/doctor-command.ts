import type { CommandIo } from './io.js';
export async function doctorCommand(_argv: readonly string[], _io: CommandIo): Promise<number> {
	return 0;
}
