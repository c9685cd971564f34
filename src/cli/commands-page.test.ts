import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { RUNTIME_FOLDER } from '../recording/runtime-folder.js';
import { COMMANDS } from './commands.js';
import { commandsPage } from './commands-page.js';

const file = path.resolve(import.meta.dirname, '..', '..', 'docs', 'commands.md');

test('docs/commands.md is what the descriptions say: npm run docs:commands', async () => {
	expect(fs.readFileSync(file, 'utf8')).toBe(await commandsPage());
});

test('the page has the help of every command as it is printed', async () => {
	const page = await commandsPage();
	for (const { name } of COMMANDS) {
		const { stdout } = await runAssay(['help', name], '/');
		expect(page).toContain(`## assay ${name}\n\n\`\`\`text\n${stdout.trimEnd().replaceAll(RUNTIME_FOLDER, 'node_modules/assay/runtime')}\n\`\`\`\n`);
	}
});
