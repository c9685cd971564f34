/** Reads all decisions of a log with the library; bench/compilations.js measures it as a process. */
import { openCompilationLog } from '../dist/index.js';

const [file = ''] = process.argv.slice(2);
const log = await openCompilationLog([{ filePath: file, name: file }]);
let decisions = 0;
for (const compilation of log.history.compilations) {
	decisions += log.readDecisions(compilation).length;
}
log.close();
if (decisions === 0) {
	throw new Error('no decisions were read');
}
