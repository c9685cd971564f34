/**
 * The agent that a JVM is started with or told to load: built by the machine's C compiler with the headers of the JDK the first time it is wanted, and kept;
 * where there is no compiler or no headers, the one that the package brings along for such machines.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { RUNTIME_FOLDER } from '../runtime-folder.js';
import { findExecutable } from './find-executable.js';
import { lastLine, runTool } from './run-tool.js';

/** The library, or why there is none. */
export type AgentLibrary = { readonly library: string } | { readonly reason: string };

const SOURCE = path.join(RUNTIME_FOLDER, 'assay_agent.c');
const COMPILERS = ['cc', 'gcc', 'clang'];
const COMPILE_TIMEOUT_MS = 60_000;

/** Never throws. `jdkHomes`: where headers may be, the JVM's own first. `root`: of the JVM's file system; one in a container may have another C library. */
export async function findAgentLibrary(jdkHomes: readonly string[], environment: NodeJS.ProcessEnv, root = '/'): Promise<AgentLibrary> {
	if (process.platform !== 'linux' && process.platform !== 'darwin') {
		return { reason: `there is none for ${process.platform}` };
	}
	const name = process.platform === 'darwin' ? 'libassay_agent.dylib' : 'libassay_agent.so';
	try {
		const platform = `${process.platform}-${process.arch}${isMusl(root) ? '-musl' : ''}`;
		const shipped = path.join(RUNTIME_FOLDER, 'prebuilt', platform, name);
		const isBuiltHere = isMusl(root) === isMusl('/');
		if (!isBuiltHere) {
			return fs.existsSync(shipped) ? { library: shipped } : { reason: `there is none for ${platform}, which the JVM's container is` };
		}
		const version = createHash('sha256').update(fs.readFileSync(SOURCE)).digest('hex').slice(0, 16);
		const folder = path.join(cacheFolder(environment), `agent-${version}-${platform}`);
		const library = path.join(folder, name);
		if (fs.existsSync(library)) {
			return { library };
		}
		const why = await compile(library, jdkHomes, environment);
		if (why === null) {
			return { library };
		}
		return fs.existsSync(shipped) ? { library: shipped } : { reason: why };
	} catch (error) {
		return { reason: (error as Error).message };
	}
}

/** Null when it was built, else why not. */
async function compile(library: string, jdkHomes: readonly string[], environment: NodeJS.ProcessEnv): Promise<string | null> {
	const compiler = COMPILERS.map((name) => findExecutable(name, '/', environment.PATH)).find((file) => file !== null);
	if (compiler === undefined) {
		return 'there is no C compiler';
	}
	const system = process.platform === 'darwin' ? 'darwin' : 'linux';
	const headers = jdkHomes.map((home) => path.join(home, 'include')).find((folder) => fs.existsSync(path.join(folder, 'jvmti.h')));
	if (headers === undefined) {
		return 'no JDK here has include/jvmti.h';
	}
	fs.mkdirSync(path.dirname(library), { recursive: true });
	// Several recordings may build it at once: each its own file, and the last one stays.
	const building = `${library}.${process.pid}`;
	const argv = ['-std=c11', '-O2', '-shared', '-fPIC', `-I${headers}`, `-I${path.join(headers, system)}`, SOURCE, '-o', building, '-ldl', '-lpthread'];
	const { status, stderr } = await runTool([compiler, ...argv], { timeoutMs: COMPILE_TIMEOUT_MS });
	if (status !== 0) {
		fs.rmSync(building, { force: true });
		return `${path.basename(compiler)} failed: ${lastLine(stderr)}`;
	}
	fs.renameSync(building, library);
	return null;
}

function cacheFolder({ XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): string {
	return path.join(XDG_CACHE_HOME || path.join(HOME || os.homedir(), '.cache'), 'assay');
}

/** Alpine and its like: programs there have another loader. */
function isMusl(root: string): boolean {
	const loader = process.arch === 'arm64' ? 'lib/ld-linux-aarch64.so.1' : 'lib64/ld-linux-x86-64.so.2';
	return process.platform === 'linux' && !fs.existsSync(path.join(root, loader));
}
