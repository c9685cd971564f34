/**
 * Compilers for a build that we do not know: a folder for the front of PATH, in which every name that a build may call a compiler by leads to ours. So also a build
 * that has its compiler written down (`CC = gcc -std=gnu99`) is instrumented, or gets the flags that an order needs.
 */
import fs from 'node:fs';
import path from 'node:path';
import { InputError } from '../../model/problem.js';
import { shellWord } from '../../model/shell-word.js';
import { findExecutable } from '../record/find-executable.js';
import { lastLine, runTool } from '../record/run-tool.js';
import { RUNTIME_FOLDER } from '../runtime-folder.js';

/** Words that a compiler is started by, without its arguments. */
export interface BuildCompilers {
	readonly c: readonly string[];
	readonly cxx: readonly string[];
}

/** Compilers that are there and can link with lld. */
export interface CheckedCompilers extends BuildCompilers {
	/** The first line that `--version` says. */
	readonly version: string;
	/** How they are told to link with lld. */
	readonly lld: string;
}

/** `trace` logs what runs first; `plain` has the flags that an order needs, and `order` has the order too; `block` has a list of blocks. Names of one length: paths in the programs are as long. */
export type BuildKind = 'trace' | 'plain' | 'order' | 'block';

/** Sections that the linker can move. */
export const COMPILE_FLAGS: readonly string[] = ['-ffunction-sections'];

/** What the linker is told of an order; it does not warn of symbols that another program of the build has. */
export function orderFlags(file: string): string[] {
	const option = `--symbol-ordering-file=${file}`;
	return [...(file.includes(',') ? ['-Xlinker', option] : [`-Wl,${option}`]), '-Wl,--no-warn-symbol-ordering'];
}

/** With these a program tells its basic blocks; its code is the same. The second is for code that the linker generates. */
const BLOCK_MAP_FLAGS: readonly string[] = ['-fbasic-block-address-map', '-Wl,--lto-basic-block-address-map'];

/** Debug information that valgrind can read; without -g none is written. */
const TRACED_FLAGS: readonly string[] = ['-fdebug-default-version=4'];

/** What compiler and linker are told of a list of blocks. */
export function blockFlags(file: string): { readonly compile: string[]; readonly link: string[] } {
	const option = `--lto-basic-block-sections=${file}`;
	return { compile: [`-fbasic-block-sections=list=${file}`], link: file.includes(',') ? ['-Xlinker', option] : [`-Wl,${option}`] };
}

const NEWEST_LLD = 40;
const OLDEST_LLD = 11;

/** Compiles and links something small in `folder`. Throws an {@link InputError} where the compiler is no clang, or has no lld, or cannot tell blocks though `hasBlocks`. */
export async function checkCompilers({ c, cxx }: BuildCompilers, folder: string, hasBlocks = false): Promise<CheckedCompilers> {
	const absolute = { c: withPaths(c), cxx: withPaths(cxx) };
	const compiler = c.join(' ');
	const told = await runTool([...absolute.c, '--version']);
	const version = told.stdout.split('\n')[0]?.trim() ?? '';
	if (!/clang/i.test(version)) {
		throw new InputError({
			severity: 'error',
			file: compiler,
			message: told.status === null ? `cannot be started (${lastLine(told.stderr)})` : `is not clang (${version || 'it tells no version'})`,
			action: 'install clang 15 to 22, or name one with ASSAY_CC and ASSAY_CXX: other compilers give no LLVM IR',
		});
	}
	const source = path.join(folder, 'trial.c');
	fs.writeFileSync(source, 'int main(void) { return 0; }\n');
	const major = /version (\d+)/.exec(version)?.[1];
	const names = [
		'ld.lld',
		...(major === undefined ? [] : [`ld.lld-${major}`]),
		...Array.from({ length: NEWEST_LLD - OLDEST_LLD + 1 }, (_, i) => `ld.lld-${NEWEST_LLD - i}`),
	];
	const linkers = names.map((name) => findExecutable(name, folder)).filter((file) => file !== null);
	for (const lld of ['-fuse-ld=lld', ...linkers.map((file) => `--ld-path=${file}`)]) {
		const linked = await runTool([...absolute.c, source, '-o', path.join(folder, 'trial'), ...COMPILE_FLAGS, lld]);
		if (linked.status === 0) {
			if (hasBlocks) {
				await checkBlocks([...absolute.c, source, '-o', path.join(folder, 'trial'), ...COMPILE_FLAGS, lld], compiler);
			}
			return { ...absolute, version, lld };
		}
		if (lld !== '-fuse-ld=lld') {
			break;
		}
	}
	throw new InputError({
		severity: 'error',
		file: compiler,
		message: 'cannot link with lld, which lays functions out by an order',
		action: `install lld${major === undefined ? '' : ` (Debian: lld-${major})`}, and see that clang -fuse-ld=lld links a program`,
	});
}

async function checkBlocks(command: readonly string[], compiler: string): Promise<void> {
	const { status } = await runTool([...command, ...BLOCK_MAP_FLAGS]);
	if (status !== 0) {
		throw new InputError({
			severity: 'error',
			file: compiler,
			message: 'cannot tell basic blocks (-fbasic-block-address-map)',
			action: 'use clang and lld 19 or newer for x86-64 or AArch64 (ASSAY_CC, ASSAY_CXX), or leave --blocks out',
		});
	}
}

/** Programs by their paths: in the build PATH begins with other programs of these names. A launcher such as ccache comes before the compiler. */
function withPaths(words: readonly string[]): string[] {
	return words.map((word) => (word.startsWith('-') ? word : (findExecutable(word, process.cwd()) ?? word)));
}

/** Prefixes of other machines stay as they are: only those of Linux are taken. */
const COMPILER_NAME = /^(?:\w+-(?:\w+-)?linux-gnu-)?(?:clang|gcc|clang\+\+|g\+\+)(?:-\d{1,3}(?:\.\d{1,3})?)?$/;
const ALWAYS = ['cc', 'gcc', 'clang', 'c++', 'g++', 'clang++', 'c89', 'c99', 'assay-cc', 'assay-c++', 'assay-llvm-ar', 'assay-llvm-ranlib'];
const STANDARDS: Readonly<Record<string, string>> = { c89: '-std=c89', c99: '-std=c99' };

export interface BuildTools {
	readonly kind: BuildKind;
	readonly compilers: CheckedCompilers;
	/** Of the kinds `order` and `block`. */
	readonly orderFile: string | null;
	/** Whether programs tell their blocks, but for the kind `trace`. */
	readonly tellsBlocks: boolean;
	/** The list of the kind `block`. */
	readonly blockFile: string | null;
}

/** Writes the programs; gives what the environment of the build has besides. */
export function writeBuildTools(folder: string, tools: BuildTools, searchPath: string): Record<string, string> {
	fs.mkdirSync(folder, { recursive: true });
	const found = searchPath.split(path.delimiter).flatMap((entry) => namesIn(entry).filter((name) => COMPILER_NAME.test(name)));
	for (const name of new Set([...ALWAYS, ...found])) {
		fs.writeFileSync(path.join(folder, name), script(name, tools), { mode: 0o755 });
	}
	return {
		// assay-cc looks for node.
		PATH: [folder, searchPath, path.dirname(process.execPath)].join(path.delimiter),
		CC: 'assay-cc',
		CXX: 'assay-c++',
		ASSAY_CC: words(tools.compilers.c),
		ASSAY_CXX: words(tools.compilers.cxx),
		ASSAY_ORDER_BUILD: tools.kind,
	};
}

function namesIn(folder: string): string[] {
	try {
		return fs.readdirSync(folder);
	} catch {
		return [];
	}
}

function script(name: string, { kind, compilers, orderFile, tellsBlocks, blockFile }: BuildTools): string {
	const bin = path.join(RUNTIME_FOLDER, '..', 'bin');
	const isCxx = name.includes('++');
	const archiver = /^assay-(llvm-.+)$/.exec(name)?.[1];
	if (archiver !== undefined) {
		return `#!/bin/sh\nexec ${words([process.execPath, path.join(bin, `${name}.js`)])} "$@"\n`;
	}
	const standard = STANDARDS[name] === undefined ? '' : ` ${STANDARDS[name]}`;
	if (kind === 'trace') {
		return `#!/bin/sh\nexec ${words([path.join(bin, isCxx ? 'assay-c++' : 'assay-cc')])}${standard} "$@"\n`;
	}
	const compiler = `${words(isCxx ? compilers.cxx : compilers.c)}${standard}`;
	const blocks = blockFile === null ? null : blockFlags(blockFile);
	const flags = [
		...COMPILE_FLAGS,
		...(tellsBlocks ? [...BLOCK_MAP_FLAGS, ...TRACED_FLAGS] : []),
		...(blocks === null ? [] : [...blocks.compile, ...blocks.link]),
		compilers.lld,
		...(orderFile === null ? [] : orderFlags(orderFile)),
	];
	// Behind the build's own flags, so that these are the ones that count; where nothing is linked they are not complained of. A program without symbols would not tell
	// where its functions lie, which is the same with them.
	return `#!/bin/sh
case $1 in -cc1*) exec ${compiler} "$@" ;; esac
for word do
	shift
	case $word in
	-s | -Wl,-s | -Wl,--strip-all) ;;
	-Wl,*,-s) set -- "$@" "\${word%,-s}" ;;
	-Wl,*,--strip-all) set -- "$@" "\${word%,--strip-all}" ;;
	*) set -- "$@" "$word" ;;
	esac
done
exec ${compiler} "$@" --start-no-unused-arguments ${words(flags)} --end-no-unused-arguments
`;
}

function words(argv: readonly string[]): string {
	return argv.map(shellWord).join(' ');
}
