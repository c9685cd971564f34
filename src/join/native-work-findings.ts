/** Time in native libraries and the runtime's, and in the kernel, for memory that is new and all else, with whom it is for: where the tops of stacks were recorded. */
import type { RecordingFinding } from '../model/joined-recording.js';
import { wilsonInterval } from '../statistics/shares.js';
import { LEAST_PERCENT, type Place, SAMPLED, spelled } from './cause-words.js';
import { commandsOf, hotCommand, reportCommand } from './commands.js';
import type { JoinedRun } from './joined-run.js';
import { isNativeProgram, ofAll, percentText } from './run-facts.js';

/** Where even more is copied perf loses samples. */
const ENOUGH_BYTES = 1 << 13;
/** With more than this part unknown, what is known is not all of it: functions that lie deeper are called for others. */
const MOST_UNKNOWN = 0.1;
/** A program calls the runtime's libraries and the kernel from everywhere: told is only where much of much is for one function. */
const RUNTIME_PERCENT = 10;
const RUNTIME_SHARE = 0.25;

export function nativeWorkFindings(run: JoinedRun): RecordingFinding[] {
	const counted = run.hot?.attribution.counted ?? 0;
	return run.nativeWork.flatMap(({ kind, library, symbol, regions, samples, caller, share, unknown, unreached }): RecordingFinding[] => {
		const { percent, low } = wilsonInterval(samples, counted);
		if (counted === 0 || low < LEAST_PERCENT) {
			return [];
		}
		const name = symbol.replace(/^\(|\)$/g, '');
		const hot = [hotCommand(run, '--by', 'library'), hotCommand(run, ...regions)];
		const copied = run.hot?.shallowStacks?.copiedBytes ?? 0;
		const beyond = `it lies further up the stack than the ${copied} bytes that were copied of it${copied < ENOUGH_BYTES ? `; recorded with --stack ${ENOUGH_BYTES} more of it is seen` : ''}`;
		if (caller === null) {
			return [
				{
					kind: 'native-work',
					place: null,
					text: `${percentText(percent)} ${ofAll(run)} are in ${library} (${name}); who in Java called most of that is not known: ${beyond}`,
					handles: [],
					evidence: SAMPLED,
					command: commandsOf(...hot),
					worth: percent / 4,
				},
			];
		}
		const [calling] = caller.callers ?? [];
		const compileId = calling?.compileId ?? caller.compileId;
		const row = run.compilations.find((one) => one.compileId === compileId && one.kind !== 'native wrapper');
		const place: Place = { method: caller.method, line: caller.line, bci: caller.bci < 0 ? null : caller.bci };
		if ((kind === 'runtime' || kind === 'kernel') && (percent < RUNTIME_PERCENT || share < RUNTIME_SHARE)) {
			return [];
		}
		const isPart = unknown > MOST_UNKNOWN * samples;
		const part = `${Math.round(100 * share)} % of ${isPart ? 'what is known of that' : 'that'} for`;
		const rest = isPart ? `. Of ${Math.round((100 * unknown) / samples)} % of it no caller is known${2 * unreached > unknown ? `: ${beyond}` : ''}` : '';
		const much = `${percentText(percent)} ${ofAll(run)}`;
		const inCode = `${spelled(place)}${row === undefined ? '' : ` in ${row.handle}`}`;
		const isOfNative = isNativeProgram(run);
		const ofJava = `${caller.bci < 0 && caller.isInterpreted !== true ? 'the native method ' : ''}${spelled(place)}${caller.isInterpreted === true ? ', which was interpreted' : ''}${row === undefined ? '' : `, called most by ${row.handle} ${row.method}`}`;
		const texts: Readonly<Record<typeof kind, string>> = {
			runtime: `${much} are in ${library} (${name}), ${part} ${inCode}. How often that calls it, and with how much, decides`,
			pages: `${much} are the kernel clearing pages (${name}) that are touched for the first time, ${part} ${inCode}${isOfNative ? '. Use memory again that was given back, or have it in large pages (GLIBC_TUNABLES=glibc.malloc.hugetlb=1)' : ': new memory of the heap. -Xms as large as -Xmx with -XX:+AlwaysPreTouch does that before the program starts'}`,
			kernel: `${much} are in the kernel${isOfNative ? '' : ' for Java'} (${name}), ${part} ${isOfNative ? inCode : ofJava}${caller.through === undefined ? '' : `, most by way of ${caller.through}`}. How often that enters the kernel, and with how much, decides${rest}`,
			library: `${much} are in ${library} (${name}), ${part} ${ofJava}. No compiler of the JVM makes it faster: how often it is called, and with what, decides${rest}`,
		};
		return [
			{
				kind: 'native-work',
				place,
				text: texts[kind],
				handles: row === undefined ? [] : [row.handle],
				evidence: SAMPLED,
				command: commandsOf(...(kind === 'pages' || kind === 'kernel' ? hot.slice(1) : hot), row === undefined ? null : reportCommand(run, row.handle)),
				// Whoever touches new pages first pays for them.
				worth: (percent * (kind === 'pages' ? 1 : share)) / 2,
			},
		];
	});
}
