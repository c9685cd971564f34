/** Names of functions in LLVM's profiles: `file;name` for a local function, else the name in LLVM IR. */
import { symbolOfIrName } from '../../model/function-trace.js';

/** Up to LLVM 17 a colon stood between file and name. Methods of Objective-C hold colons too, after the first bracket. */
const WITH_COLON = /^((?:[^:[\]]*\.[A-Za-z0-9+]+|<unknown>)):(.+)$/;

/** The symbol, and the file of a local function (null: the function is not local). */
export function splitProfileName(name: string): { readonly symbol: string; readonly module: string | null } {
	const semicolon = name.indexOf(';');
	if (semicolon > 0 && semicolon < name.length - 1) {
		return { symbol: symbolOfIrName(name.slice(semicolon + 1)), module: name.slice(0, semicolon) };
	}
	const [, file, local] = WITH_COLON.exec(name) ?? [];
	return file === undefined || local === undefined ? { symbol: symbolOfIrName(name), module: null } : { symbol: symbolOfIrName(local), module: file };
}
