/** Real compilers' logs of fixtures/jvm, and small ones for single rules. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

const JVM_FIXTURES = path.resolve(import.meta.dirname, '..', 'fixtures', 'jvm');

export const JDKS = ['jdk17', 'jdk25'] as const;

export function fixtureText(...parts: readonly string[]): string {
	const bytes = fs.readFileSync(path.join(JVM_FIXTURES, ...parts));
	return (parts.at(-1)?.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
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
