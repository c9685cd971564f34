/** Elements of the log are told apart by the four bytes behind `<`, compared as one number. */

/** The elements inside a task. */
export const TaskWord = {
	bc: word('bc c'),
	branch: word('bran'),
	call: word('call'),
	failure: word('fail'),
	inline: word('inli'),
	intrinsic: word('intr'),
	jvms: word('jvms'),
	klass: word('klas'),
	late: word('late'),
	method: word('meth'),
	parse: word('pars'),
	phase: word('phas'),
	trap: word('unco'),
	type: word('type'),
	virtual: word('virt'),
	endLate: word('/lat'),
	endLoop: word('/loo'),
	endParse: word('/par'),
	endPhase: word('/pha'),
	endEliminate: word('/eli'),
	endReplace: word('/rep'),
} as const;

/** The elements inside a task that tell of other things than calls. */
export const EventWord = {
	cast: word('cast'),
	dependency: word('depe'),
	eliminate: word('elim'),
	hotThrow: word('hot_'),
	loop: word('loop'),
	predicted: word('pred'),
	regalloc: word('rega'),
	replace: word('repl'),
} as const;

/** The elements that tell of a compilation's life. */
export const LifeWord = {
	args: word('args'),
	command: word('command'),
	codeCache: word('code'),
	compilationLog: word('comp'),
	deoptimized: word('deop'),
	endArgs: word('/arg'),
	endCompilationLog: word('/com'),
	endDeoptimized: word('/deo'),
	endTask: word('/tas'),
	endTrap: word('/unc'),
	failure: word('fail'),
	fragment: word('frag'),
	hotspotLog: word('hots'),
	info: word('info'),
	jvms: word('jvms'),
	notEntrant: word('make'),
	nmethod: word('nmet'),
	startThread: word('star'),
	task: word('task'),
	threadFile: word('thre'),
	trap: word('unco'),
} as const;

/** `start` is at `<`, and at least four bytes are behind it. */
export function wordAt(bytes: Uint8Array, start: number): number {
	return (bytes[start + 1]! << 24) | (bytes[start + 2]! << 16) | (bytes[start + 3]! << 8) | bytes[start + 4]!;
}

function word(text: string): number {
	return (text.charCodeAt(0) << 24) | (text.charCodeAt(1) << 16) | (text.charCodeAt(2) << 8) | text.charCodeAt(3);
}
