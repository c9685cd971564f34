/** What perf calls an event of which it noted no name, as in a file that was not completed. */

const HARDWARE = [
	'cycles',
	'instructions',
	'cache-references',
	'cache-misses',
	'branches',
	'branch-misses',
	'bus-cycles',
	'stalled-cycles-frontend',
	'stalled-cycles-backend',
	'ref-cycles',
];
const SOFTWARE = [
	'cpu-clock',
	'task-clock',
	'page-faults',
	'context-switches',
	'cpu-migrations',
	'minor-faults',
	'major-faults',
	'alignment-faults',
	'emulation-faults',
	'dummy',
	'bpf-output',
	'cgroup-switches',
];
const EXCLUDE_USER = 1 << 4;
const EXCLUDE_KERNEL = 1 << 5;
const EXCLUDE_HYPERVISOR = 1 << 6;

/** By type, config and the word of flags of its attributes. */
export function nameOfEvent(type: number, config: number, flags: number): string {
	const name =
		(type === 0 ? HARDWARE[config] : type === 1 ? SOFTWARE[config] : undefined) ?? `${type === 4 ? 'raw ' : `type-${type}-`}0x${config.toString(16)}`;
	const isLimited = (flags & (EXCLUDE_USER | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR)) !== 0;
	const spaces = !isLimited ? '' : `${flags & EXCLUDE_KERNEL ? '' : 'k'}${flags & EXCLUDE_USER ? '' : 'u'}${flags & EXCLUDE_HYPERVISOR ? '' : 'h'}`;
	const modifiers = spaces + 'p'.repeat((flags >> 15) & 3);
	return modifiers === '' ? name : `${name}:${modifiers}`;
}
