/** How a command is started so that its JVM gets the flags: what is run, with which environment. */
import fs from 'node:fs';
import path from 'node:path';
import type { FlagPassing, RecordedJdk } from '../../model/recording-manifest.js';
import { findExecutable } from './find-executable.js';
import { javaTarget } from './java-arguments.js';
import { jdkOfJava } from './jdk.js';
import { jmhForksNothing, startsJmh, withForkFlags } from './jmh-arguments.js';
import { defaultStackBytes } from './perf.js';
import { isNode, NODE_FLAGS, nodeOptions } from './runtime-code.js';

export interface LaunchPlan {
	/** The program and its arguments. */
	readonly argv: readonly string[];
	/** Variables that the program gets besides ours. */
	readonly environment: Readonly<Record<string, string>>;
	readonly passing: FlagPassing;
	readonly flags: readonly string[];
	/** The JDK, as far as it can be told before anything runs; of a launcher that of JAVA_HOME or PATH. */
	readonly jdk: RecordedJdk | null;
	/** Several JVMs may write logs: the name of the log holds the process id. */
	readonly mayStartSeveral: boolean;
	/** Whether it is JMH, which prints when it measures. A launcher may start it: Maven, Gradle, a script. */
	readonly jmh: 'no' | 'perhaps' | 'yes';
}

/** Programs that start the one that is named behind them. */
const STARTERS = /^(?:ba|da|z|k)?sh$|^(?:env|time|timeout|nice|ionice|nohup|setsid|taskset|numactl|chrt|stdbuf|unshare|sudo|su|xargs|script)$/;

/** Whether a JVM is to be expected: a program of its own, in machine code, starts none as a rule. */
export function mayStartJvm({ passing, argv }: Pick<LaunchPlan, 'passing' | 'argv'>): boolean {
	const [program = ''] = argv;
	return passing !== 'environment' || (!isNode(program) && (STARTERS.test(path.basename(program)) || isScript(program) || isOfJdk(program)));
}

/**
 * How much of each stack perf copies; `asked`: what the user wants, null for what suits the program. Callers of code that Node makes are not read, only those of native
 * programs that its scripts start, and `perf inject --jit` reads no file that perf compressed.
 */
export function stackBytesOf(plan: Pick<LaunchPlan, 'passing' | 'argv'>, asked: number | null): number {
	const isOfNode = plan.passing === 'environment' && isNode(plan.argv[0] ?? '');
	return asked ?? (isOfNode ? 0 : defaultStackBytes(mayStartJvm(plan)));
}

function isScript(program: string): boolean {
	try {
		const file = fs.openSync(program, 'r');
		const head = Buffer.alloc(2);
		fs.readSync(file, head, 0, head.length, 0);
		fs.closeSync(file);
		return head.toString('latin1') === '#!';
	} catch {
		return false;
	}
}

/** `javac`, `jshell` and the like. */
function isOfJdk(program: string): boolean {
	try {
		return fs.existsSync(path.join(path.dirname(fs.realpathSync(program)), '..', 'release'));
	} catch {
		return false;
	}
}

/** Gives the flags for a log of this name; `%p` in it is the process id of the JVM. */
type FlagsFor = (logName: string, jdk: RecordedJdk | null) => string[];

export interface LaunchRequest {
	readonly command: readonly string[];
	/** Where it is started. */
	readonly folder: string;
	readonly jdkHome: string | null;
	readonly environment: NodeJS.ProcessEnv;
	/** Whether Node is told to write its code. */
	readonly withNode: boolean;
}

/** The name of a log when a single JVM writes one. */
const SINGLE_LOG = 'hotspot.log';
const LOG_OF_PROCESS = 'hotspot-%p.log';

/** Null: the program does not exist or cannot be executed. */
export function planLaunch({ command, folder, jdkHome, environment, withNode }: LaunchRequest, flagsFor: FlagsFor): LaunchPlan | null {
	const [first = '', ...args] = command;
	const isJava = /(?:^|\/)java$/.test(first);
	const javaName = jdkHome === null ? 'java' : path.resolve(folder, jdkHome, 'bin', 'java');
	const program = findExecutable(isJava && jdkHome !== null ? javaName : first, folder, environment.PATH);
	if (program === null) {
		return null;
	}
	if (!isJava) {
		const jdk = jdkOf(launcherJava(javaName, folder, jdkHome, environment));
		const flags = flagsFor(LOG_OF_PROCESS, jdk);
		return {
			argv: [program, ...(withNode && isNode(program) ? NODE_FLAGS : []), ...args],
			environment: {
				JAVA_TOOL_OPTIONS: toolOptions(flags, environment),
				...(jdkHome === null ? {} : jdkEnvironment(folder, jdkHome, environment)),
				...(withNode ? { NODE_OPTIONS: nodeOptions(environment) } : {}),
			},
			passing: 'environment',
			flags,
			jdk,
			mayStartSeveral: true,
			jmh: 'perhaps',
		};
	}
	const jdk = jdkOf(program);
	const target = javaTarget(args);
	const isJmh = target !== null && startsJmh(target, folder);
	if (isJmh && !jmhForksNothing(args.slice(target.argumentsFrom))) {
		const flags = flagsFor(LOG_OF_PROCESS, jdk);
		const jmh = withForkFlags(args.slice(target.argumentsFrom), flags);
		const argv = [program, ...args.slice(0, target.argumentsFrom), ...jmh];
		return { argv, environment: {}, passing: 'jmh-jvm-args', flags, jdk, mayStartSeveral: true, jmh: 'yes' };
	}
	const flags = flagsFor(SINGLE_LOG, jdk);
	return { argv: [program, ...flags, ...args], environment: {}, passing: 'command-line', flags, jdk, mayStartSeveral: false, jmh: isJmh ? 'yes' : 'no' };
}

/** The java that a launcher most likely starts. */
function launcherJava(javaName: string, folder: string, jdkHome: string | null, environment: NodeJS.ProcessEnv): string | null {
	const { JAVA_HOME } = environment;
	const ofHome = jdkHome === null && JAVA_HOME ? findExecutable(path.join(JAVA_HOME, 'bin', 'java'), folder) : null;
	return ofHome ?? findExecutable(javaName, folder, environment.PATH);
}

function jdkOf(java: string | null): RecordedJdk | null {
	return java === null ? null : jdkOfJava(java);
}

function jdkEnvironment(folder: string, jdkHome: string, { PATH = '' }: NodeJS.ProcessEnv): Record<string, string> {
	const home = path.resolve(folder, jdkHome);
	return { JAVA_HOME: home, PATH: `${path.join(home, 'bin')}${path.delimiter}${PATH}` };
}

/** HotSpot splits the variable at blanks outside quotes of either kind. */
function toolOptions(flags: readonly string[], { JAVA_TOOL_OPTIONS = '' }: NodeJS.ProcessEnv): string {
	const quoted = flags.map((flag) => (/[\s']/.test(flag) ? `"${flag}"` : /"/.test(flag) ? `'${flag}'` : flag));
	return [...quoted, ...(JAVA_TOOL_OPTIONS === '' ? [] : [JAVA_TOOL_OPTIONS])].join(' ');
}
