/**
 * What a command line of clang asks for: which of its words are inputs, which options, and for which step each option counts. Everything
 * that is not known is an option without a value and is passed on. Source: Clang command line argument reference.
 */
import path from 'node:path';

/** Options whose value is the next word. */
const WITH_VALUE = new Set(
	(
		'-o -x -I -D -U -L -l -F -T -u -z -e -h -G -A -B -b -m -include -imacros -include-pch -isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore ' +
		'-isysroot -weak_framework -weak_library -force_load -exported_symbols_list -unexported_symbols_list -order_file -bundle_loader -undefined -iframework -iframeworkwithsysroot -isystem-after -cxx-isystem -c-isystem -ivfsoverlay -working-directory -arch -target -framework ' +
		'-Xclang -Xlinker -Xassembler -Xpreprocessor -Xanalyzer -Xarch_host -Xarch_device -Xopenmp-target -mllvm -MF -MT -MQ -MJ -rpath -soname -dumpdir ' +
		'-dumpbase -dumpbase-ext -aux-info -param --param -serialize-diagnostics --serialize-diagnostics -index-store-path -install_name ' +
		'-current_version -compatibility_version -rewrite-map-file --sysroot --target --config -fmodule-file -gcc-toolchain --output --include-directory ' +
		'--define-macro --undefine-macro --include --language --library-directory --prefix --for-linker --library'
	).split(' '),
);

/** With these nothing is compiled, or not to code: clang gets the words as they are. */
const PASS_THROUGH =
	/^(?:-E|-M|-MM|-fsyntax-only|-emit-llvm|-emit-ast|-emit-interface-stubs|--precompile|--analyze|-module-file-info|-verify-pch|-rewrite-objc|-###|-cc1|-cc1as|--version|-version|--help|--help-hidden|-help|-dumpversion|-dumpmachine|-print-.*|--print-.*|--autocomplete=.*|-fdriver-only|--preprocess)$/;

const SOURCE = /\.(?:c|i|cc|cp|cxx|cpp|c\+\+|CPP|C|ii|m|mi|mm|M|mii|ll|bc|cppm|ccm|cxxm|c\+\+m|ixx|pcm)$/;
const ASSEMBLY = /\.(?:s|S|sx|asm)$/;
const HEADER = /\.(?:h|hh|H|hp|hxx|hpp|HPP|h\+\+|tcc|pch|gch)$/;

const FORTRAN = /\.(?:f|for|ftn|fpp|f77|f90|f95|f03|f08|f18)$/i;

/** What is named `fortran` is compiled as it is. */
type InputKind = 'source' | 'assembly' | 'header' | 'fortran' | 'linker';

export interface CompilerInput {
	readonly kind: InputKind;
	readonly file: string;
	/** Where it stands among the words. */
	readonly index: number;
}

type CompilerMode = 'pass-through' | 'object' | 'assembly' | 'link';

export interface CompilerArguments {
	/** Response files are replaced by what they hold. */
	readonly words: readonly string[];
	readonly mode: CompilerMode;
	readonly inputs: readonly CompilerInput[];
	readonly output: string | null;
	/** Indexes of words that are the value of the option before. */
	readonly values: ReadonlySet<number>;
	readonly lto: 'none' | 'thin' | 'full';
	/** `-r`: several objects become one. */
	readonly isRelocatable: boolean;
	/** `-gsplit-dwarf`: debug information goes into a file of its own. */
	readonly hasSplitDwarf: boolean;
}

/** `readText` gives the text of a response file, or null: then the word stays as it is. */
export function parseCompilerArguments(argv: readonly string[], readText: (file: string) => string | null): CompilerArguments {
	const words = expandResponseFiles(argv, readText);
	const inputs: CompilerInput[] = [];
	const values = new Set<number>();
	let mode: CompilerMode = 'link';
	let output: string | null = null;
	let language = 'none';
	let lto: CompilerArguments['lto'] = 'none';
	let isRelocatable = false;
	let hasSplitDwarf = false;
	let onlyInputs = false;
	for (let i = 0; i < words.length; i++) {
		const word = words[i]!;
		const next = words[i + 1];
		if (onlyInputs || !word.startsWith('-') || word === '-') {
			inputs.push({ kind: kindOf(word, language), file: word, index: i });
			continue;
		}
		if (word === '--') {
			onlyInputs = true;
			continue;
		}
		if (WITH_VALUE.has(word) && next !== undefined) {
			values.add(i + 1);
			i++;
			if (word === '-o' || word === '--output') {
				output = next;
			} else if (word === '-x' || word === '--language') {
				language = next;
			} else if (word === '-l') {
				inputs.push({ kind: 'linker', file: next, index: i });
			} else if ((word === '-Xlinker' || word === '-Xclang') && /^(?:-emit-pch|-emit-module|-emit-llvm|-emit-llvm-bc)$/.test(next)) {
				mode = 'pass-through';
			}
			continue;
		}
		if (PASS_THROUGH.test(word)) {
			mode = 'pass-through';
		} else if (word === '-c' || word === '--compile') {
			mode = mode === 'link' ? 'object' : mode;
		} else if (word === '-S' || word === '--assemble') {
			mode = mode === 'pass-through' ? mode : 'assembly';
		} else if (word === '-r') {
			isRelocatable = true;
		} else if (/^-g(?:no-)?split-dwarf(?:=|$)/.test(word)) {
			hasSplitDwarf = word === '-gsplit-dwarf' || word === '-gsplit-dwarf=split';
		} else if (word.startsWith('-o')) {
			output = word.slice(2);
		} else if (word.startsWith('-x')) {
			language = word.slice(2);
		} else if (word === '-flto' || word === '-flto=full' || word === '-flto=auto' || word === '-flto=jobserver') {
			lto = 'full';
		} else if (word === '-flto=thin') {
			lto = 'thin';
		} else if (word === '-fno-lto') {
			lto = 'none';
		} else if (word.startsWith('-l')) {
			inputs.push({ kind: 'linker', file: word, index: i });
		}
	}
	if (inputs.length === 0 || inputs.some(({ kind }) => kind === 'header')) {
		mode = 'pass-through';
	}
	return { words, mode, inputs, output, values, lto, isRelocatable, hasSplitDwarf };
}

function kindOf(file: string, language: string): InputKind {
	if (language !== 'none') {
		return /header$/.test(language) ? 'header' : /^assembler/.test(language) ? 'assembly' : 'source';
	}
	if (SOURCE.test(file)) {
		return 'source';
	}
	return ASSEMBLY.test(file) ? 'assembly' : HEADER.test(file) ? 'header' : FORTRAN.test(file) ? 'fortran' : 'linker';
}

/** Folders in which CMake and Meson try out what a compiler can do. */
const TRIAL_FOLDER = /\/(?:CMakeFiles\/(?:CMakeScratch|CMakeTmp|[\d.]+\/CompilerId\w+)|meson-private)(?:\/|$)/;

/** Whether a build system only asks what the compiler can do, and throws away what is made: autoconf's `conftest`, and folders of CMake and Meson. */
export function isTrial({ inputs }: CompilerArguments, workingDirectory: string): boolean {
	return TRIAL_FOLDER.test(workingDirectory) || inputs.some(({ file }) => /^conftest\d?\./.test(path.basename(file)));
}

/** As GNU tools do: white space parts words, quotes and backslashes keep it; files may name others. */
function expandResponseFiles(argv: readonly string[], readText: (file: string) => string | null, depth = 0): string[] {
	return argv.flatMap((word) => {
		const text = word.startsWith('@') && word.length > 1 && depth < 10 ? readText(word.slice(1)) : null;
		return text === null ? [word] : expandResponseFiles(responseWords(text), readText, depth + 1);
	});
}

export function responseWords(text: string): string[] {
	const found: string[] = [];
	let word: string | null = null;
	let quote = '';
	for (let i = 0; i < text.length; i++) {
		const letter = text[i]!;
		if (letter === '\\' && i + 1 < text.length && quote !== "'") {
			i++;
			word = (word ?? '') + (text[i] === '\n' ? '' : text[i]);
		} else if (quote !== '') {
			if (letter === quote) {
				quote = '';
			} else {
				word = (word ?? '') + letter;
			}
		} else if (letter === '"' || letter === "'") {
			quote = letter;
			word ??= '';
		} else if (/\s/.test(letter)) {
			if (word !== null) {
				found.push(word);
				word = null;
			}
		} else {
			word = (word ?? '') + letter;
		}
	}
	return word === null ? found : [...found, word];
}

const LINKER_OPTION =
	/^(?:-Wl,.*|-L.+|-l.+|-shared|-static|-static-pie|-static-libgcc|-static-libstdc\+\+|-shared-libgcc|-pie|-no-pie|-nopie|-r|-s|-rdynamic|-nostdlib|-nostdlib\+\+|-nostartfiles|-nodefaultlibs|-nolibc|-fuse-ld=.*|--ld-path=.*|-z.+|-u.+|-T.+)$/;
const LINKER_VALUE = new Set(['-L', '-l', '-Xlinker', '-T', '-u', '-z', '-e', '-h', '-rpath', '-soname', '-framework']);
const DEPENDENCY = /^(?:-MD|-MMD|-MG|-MP|-MV|-MF.+|-MT.+|-MQ.+|-MJ.+)$/;
const DEPENDENCY_VALUE = new Set(['-MF', '-MT', '-MQ', '-MJ']);
/** What would be done a second time, or means nothing to IR. */
const FRONT_END_ONLY =
	/^(?:-flto.*|-fno-lto|-fthinlto-index=.*|-fwhole-program-vtables|-fsplit-lto-unit|-funified-lto|-ffat-lto-objects|-fvirtual-function-elimination|-ftime-trace.*|-ftime-report.*|-v|-save-temps.*|--save-temps.*|-std=.*|--std=.*|-ansi|-pedantic.*|-Winvalid-pch|-fmodules.*|-fprofile-use.*|-fprofile-instr-use.*|-fprofile-sample-use.*|-fauto-profile.*|-fpch.*|-include.+|-stdlib=.*|-Werror.*|-H|-C|-CC|-P)$/;
const FRONT_END_VALUE = new Set([
	'-include',
	'-include-pch',
	'-imacros',
	'-x',
	'-o',
	'-I',
	'-D',
	'-U',
	'-isystem',
	'-iquote',
	'-idirafter',
	'-cxx-isystem',
	'--config',
]);

/** The options among the words for one step: those that `drop` does not take out, without inputs, `-o`, `-c`, `-S`. */
function optionsFor(line: CompilerArguments, keepInput: number | null, drop: (word: string, value: string | undefined) => boolean): string[] {
	const inputs = new Set(line.inputs.map(({ index }) => index));
	const result: string[] = [];
	for (let i = 0; i < line.words.length; i++) {
		const word = line.words[i]!;
		const value = line.values.has(i + 1) ? line.words[i + 1] : undefined;
		if (value !== undefined) {
			i++;
			if (word !== '-o' && word !== '--output' && !drop(word, value)) {
				result.push(word, value);
			}
			continue;
		}
		if (inputs.has(i)) {
			if (i === keepInput) {
				result.push(word);
			}
		} else if (!/^(?:-c|--compile|-S|--assemble|--|-o.+)$/.test(word) && !drop(word, undefined)) {
			result.push(word);
		}
	}
	return result;
}

/** For the step from one source to optimized IR or, of assembly, to an object; the input is among them, at its place behind `-x`. */
export function compileOptions(line: CompilerArguments, input: CompilerInput): string[] {
	const isLinking = line.mode === 'link';
	return optionsFor(line, input.index, (word, value) => isLinking && (value === undefined ? LINKER_OPTION.test(word) : LINKER_VALUE.has(word)));
}

/** For the step from instrumented IR to code. */
export function codegenOptions(line: CompilerArguments): string[] {
	return optionsFor(line, null, (word, value) =>
		value === undefined
			? LINKER_OPTION.test(word) || DEPENDENCY.test(word) || FRONT_END_ONLY.test(word)
			: LINKER_VALUE.has(word) || DEPENDENCY_VALUE.has(word) || FRONT_END_VALUE.has(word) || (word === '-Xclang' && !/^-(?:target|mrelax|mllvm)/.test(value)),
	);
}

/** Options that choose the target and its tools: what the runtime is compiled with. */
export function targetOptions(line: CompilerArguments): string[] {
	const isTarget =
		/^(?:-m.+|--target=.*|--sysroot=.*|--gcc-toolchain=.*|--gcc-install-dir=.*|-B.+|--config=.*|-fsplit-stack|-fsanitize=shadow-call-stack|-fcf-protection.*)$/;
	const isTargetValue = new Set(['-target', '--target', '-isysroot', '--sysroot', '-B', '-arch', '--config', '-gcc-toolchain']);
	return optionsFor(line, null, (word, value) => (value === undefined ? !isTarget.test(word) || word.startsWith('-mllvm') : !isTargetValue.has(word)));
}

/** Whether it is for Mach-O: a system of Apple, named or that of this machine (`platform`, as Node calls it). */
export function isForMachO({ words, values }: CompilerArguments, platform: string): boolean {
	const named = words.flatMap((word, i) =>
		values.has(i) ? (/^(?:-target|--target)$/.test(words[i - 1]!) ? [word] : []) : word.startsWith('--target=') ? [word.slice('--target='.length)] : [],
	);
	return named.length === 0 ? platform === 'darwin' : /-(?:apple|darwin|macosx?|ios|tvos|watchos|xros|visionos)|-macho/.test(named.at(-1)!);
}

/** What clang would write dependencies to and call their target, where the words leave it to the name of the output. */
export function dependencyDefaults(line: CompilerArguments, output: string): string[] {
	const has = (pattern: RegExp): boolean => line.words.some((word, i) => !line.values.has(i) && pattern.test(word));
	if (!has(/^-M(?:M)?D$/)) {
		return [];
	}
	const file = has(/^-MF/) ? [] : ['-MF', `${output.slice(0, output.length - path.extname(output).length)}.d`];
	return [...file, ...(has(/^-M[TQ]/) ? [] : ['-MQ', output])];
}
