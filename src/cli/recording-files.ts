/** The files that a user named on the command line; `-` is standard input. */
import path from 'node:path';
import type { LogFile } from '../recording/log-file.js';

export function recordingFiles(names: readonly string[], workingDirectory: string): LogFile[] {
	return names.map((name) => (name === '-' ? { filePath: '/dev/stdin', name: 'standard input' } : { filePath: path.resolve(workingDirectory, name), name }));
}
