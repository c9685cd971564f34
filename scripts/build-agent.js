/**
 * Builds the JVMTI agent for the platforms that the package has it for, into runtime/prebuilt: `npm run build:agent`. Needs Python with venv, a JDK (its headers are the
 * same on all platforms), and PyPI once, for the Zig compiler, which brings the C libraries of all targets. Builds twice; both must be the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ZIG = 'ziglang==0.17.1';
/** Segments of AArch64 macOS are whole pages of 16 KB. */
const LARGEST_BYTES = 72_000;
/** As Node names platforms, and as Zig does: what the oldest systems that run the JDKs have. */
const TARGETS = {
	'linux-x64': 'x86_64-linux-gnu.2.17',
	'linux-arm64': 'aarch64-linux-gnu.2.17',
	'linux-x64-musl': 'x86_64-linux-musl',
	'linux-arm64-musl': 'aarch64-linux-musl',
	'darwin-x64': 'x86_64-macos.11.0',
	'darwin-arm64': 'aarch64-macos.11.0',
};

const root = path.resolve(import.meta.dirname, '..');
const source = path.join(root, 'runtime', 'assay_agent.c');
const prebuilt = path.join(root, 'runtime', 'prebuilt');
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-build-agent-'));

try {
	const python = zigPython();
	const headers = jdkHeaders();
	const sums = [[sha256(source), '../assay_agent.c']];
	for (const [platform, target] of Object.entries(TARGETS)) {
		const name = `${platform}/libassay_agent.${platform.startsWith('darwin') ? 'dylib' : 'so'}`;
		const [first, second] = ['a', 'b'].map((round) => build(python, headers, target, name, round));
		if (!first.equals(second)) {
			throw new Error(`${name}: two builds differ`);
		}
		if (first.length > LARGEST_BYTES) {
			throw new Error(`${name} has ${first.length} bytes, more than ${LARGEST_BYTES}`);
		}
		const file = path.join(prebuilt, name);
		fs.mkdirSync(path.dirname(file), { recursive: true });
		fs.writeFileSync(file, first, { mode: 0o755 });
		sums.push([sha256(file), name]);
		console.log(`${name}: ${first.length} bytes`);
	}
	fs.writeFileSync(path.join(prebuilt, 'SHA256SUMS'), sums.map(([sum, name]) => `${sum}  ${name}\n`).join(''));
} finally {
	fs.rmSync(temporary, { recursive: true, force: true });
}

/** @returns {string} the interpreter that has Zig */
function zigPython() {
	const given = process.env.ASSAY_ZIG_PYTHON;
	if (given) {
		return given;
	}
	const folder = path.join(temporary, 'venv');
	execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
	const python = path.join(folder, 'bin', 'python3');
	execFileSync(python, ['-m', 'pip', 'install', '--quiet', ZIG], { stdio: 'inherit' });
	return python;
}

/** @returns {string} the folder with jvmti.h */
function jdkHeaders() {
	const fromPath = (process.env.PATH ?? '')
		.split(path.delimiter)
		.map((folder) => path.join(folder, 'javac'))
		.filter((file) => fs.existsSync(file))
		.map((file) => path.dirname(path.dirname(fs.realpathSync(file))));
	const installed = fs.existsSync('/usr/lib/jvm') ? fs.readdirSync('/usr/lib/jvm').map((name) => path.join('/usr/lib/jvm', name)) : [];
	const home = [process.env.JAVA_HOME ?? '', ...fromPath, ...installed].find((folder) => fs.existsSync(path.join(folder, 'include', 'linux', 'jni_md.h')));
	if (home === undefined) {
		throw new Error('no JDK with include/jvmti.h was found: set JAVA_HOME to that of a JDK for Linux');
	}
	return path.join(home, 'include');
}

/**
 * @param {string} python @param {string} headers @param {string} target @param {string} name @param {string} round
 * @returns {Buffer}
 */
function build(python, headers, target, name, round) {
	// In folders of its own each time, so that a path that gets into the library is noticed.
	const folder = path.join(temporary, round, path.dirname(name));
	fs.mkdirSync(folder, { recursive: true });
	const output = path.join(folder, path.basename(name));
	const isDarwin = target.includes('macos');
	const flags = [
		'-std=c11',
		'-O2',
		'-g0',
		'-Wall',
		'-Wextra',
		'-Werror',
		'-shared',
		'-fPIC',
		'-fvisibility=hidden',
		'-fno-sanitize=all',
		'-mcpu=baseline',
		'-s',
	];
	const linker = isDarwin ? [`-Wl,-install_name,@rpath/${path.basename(name)}`] : ['-Wl,--build-id=none', '-Wl,-soname,libassay_agent.so'];
	fs.copyFileSync(source, path.join(folder, 'assay_agent.c'));
	const cache = path.join(temporary, round, 'cache');
	execFileSync(
		python,
		['-m', 'ziglang', 'cc', '-target', target, ...flags, ...linker, '-I', headers, '-I', path.join(headers, 'linux'), 'assay_agent.c', '-o', output],
		{ cwd: folder, stdio: 'inherit', env: { ...process.env, ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache } },
	);
	return fs.readFileSync(output);
}

/** @param {string} file */
function sha256(file) {
	return createHash('sha256').update(fs.readFileSync(file)).digest('hex');
}
