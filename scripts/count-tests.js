/** Adds up the results of test runs. Arguments: how many steps failed, then the result files. A step that wrote no results counts as failed. */
import fs from 'node:fs';

const [failedSteps = '0', ...files] = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const file of files) {
	if (fs.existsSync(file)) {
		const results = JSON.parse(fs.readFileSync(file, 'utf8'));
		passed += results.numPassedTests;
		failed += results.numFailedTests;
	}
}
// A step may fail without a failing test: types, lint, a file left behind.
console.log(`${passed} passed, ${Math.max(failed, Number(failedSteps))} failed`);
