/** All tests but those of the files that take longest: commands over whole recordings, and readers over large damaged files. */
import { configDefaults, defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.js';

/** Most of the time of all tests. `npx vitest run --reporter=json` tells what a file takes. */
const SLOW = [
	'src/answers/bias.test.ts',
	'src/answers/observed-profiles.test.ts',
	'src/answers/report-index.test.ts',
	'src/cli/bias-prediction-command.test.ts',
	'src/cli/compilations-command.test.ts',
	'src/cli/diff-and-report.test.ts',
	'src/cli/diff-laws.test.ts',
	'src/cli/doctor-command.test.ts',
	'src/cli/export-command.test.ts',
	'src/cli/hot-command.test.ts',
	'src/cli/perfasm-golden.test.ts',
	'src/cli/profdiff-golden.test.ts',
	'src/cli/record-command.test.ts',
	'src/cli/report-command.test.ts',
	'src/cli/report-numbers.test.ts',
	'src/cli/startup-report.test.ts',
	'src/formats/graal-optimization-log/read.test.ts',
	'src/formats/hotspot-compilation-log/recordings.test.ts',
	'src/formats/perf-script/sample-line.test.ts',
	'src/formats/print-inlining/read.test.ts',
	'src/library/recipes.test.ts',
	'src/recording/optimization-log.test.ts',
];

export default mergeConfig(base, defineConfig({ test: { exclude: [...configDefaults.exclude, ...SLOW] } }));
