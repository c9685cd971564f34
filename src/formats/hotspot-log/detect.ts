/** Whether the first bytes of a file are those of HotSpot's LogFile, or of PrintAssembly output. */
export function isHotspotLog(head: string): boolean {
	return head.includes('<hotspot_log version=');
}

export function isPrintAssembly(head: string): boolean {
	return /^={20,} C[12]-compiled nmethod ={10,}|^Compiled method \(c[12]\)|^\[MachCode\]|^ {2}0x[0-9a-f]{8,16}: {3}\S/m.test(head);
}

/** The process that wrote a LogFile, as the first line of it in the text says; null where it does not. */
export function processOfLog(text: string): number | null {
	const digits = /<hotspot_log [^>]{0,2000}process='(\d{1,10})'/.exec(text)?.[1];
	return digits === undefined ? null : Number(digits);
}
