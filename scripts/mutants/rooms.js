/** The rooms of the mutation tests: the sources that are changed, and the tests that lie in the room and near it. Tests of whole commands are left out: they take long. */
import fs from 'node:fs';
import path from 'node:path';

/**
 * @typedef {object} Room
 * @property {string[]} sources globs of the files that are mutated; tests and files of types alone have no mutants
 * @property {string[]} tests globs of the tests that may kill
 * @property {boolean} [graalRecordings] whether the tests read the unpacked recordings of Graal
 */

/** Tests of large inputs and of whole recordings. */
const SLOW = '{large-*,recordings}.test.ts';

const root = path.resolve(import.meta.dirname, '..', '..');

/**
 * Of readers whose folder alone is not the room; every other folder of formats is a room by itself.
 * @type {Readonly<Record<string, Room>>}
 */
const SPECIAL_FORMATS = {
	'hotspot-compilation-log': near(format('hotspot-compilation-log'), '!src/formats/hotspot-compilation-log/golden.test.ts'),
	'hotspot-memory-statistics': near(format('hotspot-memory-statistics'), 'src/cli/memory-command.test.ts'),
	jfr: near(format('jfr'), 'src/recording/recorded-compilations.test.ts', 'src/answers/observed-profiles.test.ts'),
	'llvm-profile': near(format('llvm-profile'), 'src/cli/order/decode-golden.test.ts'),
	'graal-optimization-log': { ...format('graal-optimization-log'), graalRecordings: true },
	'shared/java': near(format('shared/java'), 'src/formats/class-file/read.test.ts'),
	'shared/hotspot': near(format('shared/hotspot'), 'src/formats/print-compilation/read.test.ts'),
};

/** @type {Readonly<Record<string, Room>>} */
export const ROOMS = {
	statistics: room('src/statistics'),
	join: room('src/join'),
	compilations: room('src/compilations'),
	footprint: room('src/footprint'),
	// Without the tests that place a whole program hundreds of times: with all mutants built in, one of them takes minutes.
	startup: near(room('src/startup'), '!src/startup/{optimize-order,simulate}.test.ts'),
	hot: room('src/hot'),
	bias: near(
		room('src/bias'),
		'src/cli/bias-profilers-command.test.ts',
		'src/cli/bias-ttsp-command.test.ts',
		'src/answers/{bias-prediction,lab-bias-result}.test.ts',
	),
	profdiff: { ...room('src/profdiff'), graalRecordings: true },
	model: room('src/model'),
	bytes: room('src/bytes'),
	demangling: room('src/demangling'),
	disassembly: room('src/disassembly'),
	toolchain: room('src/toolchain'),
	formats: files('src/formats'),
	shared: files('src/formats/shared'),
	...Object.fromEntries(
		[...foldersOf('src/formats').filter((name) => name !== 'shared'), ...foldersOf('src/formats/shared').map((name) => `shared/${name}`)].map((name) => [
			name,
			SPECIAL_FORMATS[name] ?? format(name),
		]),
	),
};

/** @param {string} folder */
function foldersOf(folder) {
	return fs
		.readdirSync(path.join(root, folder), { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => name)
		.sort();
}

/**
 * With tests from elsewhere; with `!` without some.
 * @param {Room} given
 * @param {string[]} tests
 * @returns {Room}
 */
function near(given, ...tests) {
	return { ...given, tests: [...given.tests, ...tests] };
}

/** @param {string} name */
function format(name) {
	return room(`src/formats/${name}`);
}

/**
 * @param {string} folder
 * @returns {Room}
 */
function room(folder) {
	return { sources: [`${folder}/**/*.ts`, `!${folder}/**/*.test.ts`], tests: [`${folder}/**/*.test.ts`, `!${folder}/${SLOW}`] };
}

/**
 * The files directly in a folder.
 * @param {string} folder
 * @returns {Room}
 */
function files(folder) {
	return { sources: [`${folder}/*.ts`, `!${folder}/*.test.ts`], tests: [`${folder}/*.test.ts`] };
}
