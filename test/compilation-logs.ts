/** Real compilers' logs of fixtures/jvm, and small ones for single rules. */
import path from 'node:path';
import { readPacked } from './packed.js';

const JVM_FIXTURES = path.resolve(import.meta.dirname, '..', 'fixtures', 'jvm');

export const JDKS = ['jdk17', 'jdk25'] as const;

export function fixtureText(...parts: readonly string[]): string {
	return readPacked(path.join(JVM_FIXTURES, ...parts)).toString();
}

/** The rows of a table with a line of names, as objects. */
export function tableOf(text: string): Record<string, string>[] {
	const [head = '', ...lines] = text.split('\n').filter((line) => line !== '');
	const names = head.split('\t');
	return lines.map((line) => {
		const cells = line.split('\t');
		return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
	});
}
