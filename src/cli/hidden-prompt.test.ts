import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { askHidden, type TerminalInput } from './hidden-prompt.js';

/** A terminal at which the keys are typed once it is raw. */
function terminal(keys: readonly string[], isTTY = true) {
	const emitter = new EventEmitter();
	const modes: boolean[] = [];
	const input = Object.assign(emitter, {
		isTTY,
		setRawMode: (isRaw: boolean) => modes.push(isRaw),
		setEncoding: () => {},
		resume: () =>
			queueMicrotask(() => {
				for (const key of keys) {
					emitter.emit(key === 'end' ? 'end' : 'data', key);
				}
			}),
		pause: () => {},
	}) as unknown as TerminalInput;
	const shown: string[] = [];
	return { modes, shown, ask: (isTerminal = true) => askHidden('password of \u001b[31mme', input, { isTerminal, write: (text) => shown.push(text) }) };
}

test('what is typed is not shown, and can be erased', async () => {
	const { ask, shown, modes } = terminal(['s', 'wx', '\u007f', 'ordfish', '\rignored']);
	expect(await ask()).toBe('swordfish');
	expect(shown.join('')).toMatch(/^password of [^\u001b]*me: \n$/);
	expect(modes).toEqual([true, false]);
});

test.each([['\u0003'], ['\u0004'], ['end']])('who gives up is asked no further: %j', async (key) => {
	const { ask, modes } = terminal(['x', key]);
	await expect(ask()).rejects.toThrow('no password was given');
	expect(modes).toEqual([true, false]);
});

test('nobody is asked where input or standard error is no terminal', async () => {
	const piped = terminal(['secret\r'], false);
	expect([await piped.ask(), piped.shown]).toEqual([null, []]);
	const written = terminal(['secret\r']);
	expect([await written.ask(false), written.shown]).toEqual([null, []]);
});
