/** Whether the first bytes of a file are those of HotSpot's LogFile, or of PrintAssembly output. */
export function isHotspotLog(head: string): boolean {
	return head.includes('<hotspot_log version=');
}

export function isPrintAssembly(head: string): boolean {
	return /^={20,} C[12]-compiled nmethod ={10,}|^Compiled method \(c[12]\)|^\[MachCode\]|^ {2}0x[0-9a-f]{8,16}: {3}\S/m.test(head);
}
