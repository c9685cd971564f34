/**
 * Labels of a run: what it is of, where, and of which build. They are told by the command line, else by the environment (ASSAY_LABELS, and the variables that CI systems
 * set), else by the manifest of the recording: the machine that it was made on. Values are text that nobody vouches for: they are data in tables, and literals in SQL.
 */
import { UsageError } from '../model/problem.js';

export type Labels = ReadonlyMap<string, string>;

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,62}$/;
export const LONGEST_VALUE = 1000;

/** `build=1.4`. Throws a {@link UsageError}. */
export function parseLabels(texts: readonly string[], option: string): Labels {
	return new Map(
		texts.map((text): [string, string] => {
			const at = text.indexOf('=');
			const name = text.slice(0, Math.max(0, at));
			if (at < 0 || !NAME.test(name) || text.length > LONGEST_VALUE) {
				throw new UsageError(`${option} takes NAME=VALUE, the name of letters, digits, _ . and -, not "${text}"`);
			}
			return [name, text.slice(at + 1)];
		}),
	);
}

/** Of GitHub Actions, GitLab CI, Buildkite and Jenkins, as their documentation has them; the first that is set counts. */
const VARIABLES: readonly (readonly [label: string, variables: readonly string[]])[] = [
	['service', ['GITHUB_REPOSITORY', 'CI_PROJECT_PATH', 'BUILDKITE_PIPELINE_SLUG', 'JOB_NAME']],
	['build', ['GITHUB_SHA', 'CI_COMMIT_SHA', 'BUILDKITE_COMMIT', 'GIT_COMMIT']],
	['host', ['RUNNER_NAME', 'CI_RUNNER_ID', 'BUILDKITE_AGENT_NAME', 'NODE_NAME']],
];

/** `ASSAY_LABELS="service=shop build=1.4"` comes before what CI says. */
export function environmentLabels(environment: Readonly<Record<string, string | undefined>>): Labels {
	const labels = new Map<string, string>();
	for (const [label, variables] of VARIABLES) {
		const value = variables.map((variable) => environment[variable]).find((text) => text !== undefined && text !== '');
		if (value !== undefined) {
			labels.set(label, value.slice(0, LONGEST_VALUE));
		}
	}
	const own = (environment.ASSAY_LABELS ?? '').split(/[\s,]/).filter((text) => text !== '');
	return new Map([...labels, ...parseLabels(own, 'ASSAY_LABELS')]);
}

/** Later ones replace earlier ones; in the order of their names. */
export function mergedLabels(...all: readonly Labels[]): Labels {
	return new Map([...new Map(all.flatMap((labels) => [...labels]))].sort(([a], [b]) => (a < b ? -1 : 1)));
}
