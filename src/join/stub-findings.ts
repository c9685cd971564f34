/** Time in stubs that compiled code calls, with whom they work for: some of the causes, where the tops of stacks were recorded. */
import type { StubWork } from '../hot/stub-work.js';
import type { RecordingFinding } from '../model/joined-recording.js';
import { wilsonInterval } from '../statistics/shares.js';
import { LEAST_PERCENT, type Place, SAMPLED, spelled } from './cause-words.js';
import { commandsOf, hotCommand, reportCommand } from './commands.js';
import type { JoinedRun } from './joined-run.js';
import { ofAll, percentText } from './run-facts.js';

const WORDS: Readonly<Record<StubWork['kind'], { readonly what: string; readonly advice: string }>> = {
	copy: {
		what: 'copy memory',
		advice: 'Copy less there: build at the end of a buffer that is large enough, or share what does not change',
	},
	dispatch: {
		what: 'look up the method of a virtual call',
		advice: 'Its receivers are of too many classes to be inlined: test for the most frequent one before the call, or give each class a call of its own',
	},
};

/** A refused call of several receivers tells of its own dispatch. */
export function stubFindings(run: JoinedRun, refused: readonly RecordingFinding[]): RecordingFinding[] {
	const counted = run.hot?.attribution.counted ?? 0;
	return run.stubWork.flatMap(({ kind, stub, regions, samples, caller, share }): RecordingFinding[] => {
		const { percent, low } = wilsonInterval(samples, counted);
		const isTold = kind === 'dispatch' && refused.some(({ place: of }) => of?.method === caller.method && of.line === caller.line);
		if (counted === 0 || low < LEAST_PERCENT || isTold) {
			return [];
		}
		const { what, advice } = WORDS[kind];
		const place: Place = { method: caller.method, line: caller.line, bci: caller.bci < 0 ? null : caller.bci };
		const row = run.compilations.find(({ compileId }) => compileId === caller.compileId);
		const code = row === undefined ? '' : `${row.handle}${row.method === caller.method ? '' : ` ${row.method}`}: `;
		return [
			{
				kind: 'stub-work',
				place,
				text: `${percentText(percent)} ${ofAll(run)} are in stubs that ${what} (${stub}), ${Math.round(100 * share)} % of that for ${code}${spelled(place)}. ${advice}`,
				handles: row === undefined ? [] : [row.handle],
				evidence: SAMPLED,
				command: commandsOf(hotCommand(run, ...regions), row === undefined ? null : reportCommand(run, row.handle)),
				worth: (percent * share) / 2,
			},
		];
	});
}
