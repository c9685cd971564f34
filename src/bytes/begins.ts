/** Whether bytes from `start` on begin with others. */
export function begins(bytes: Uint8Array, start: number, text: Uint8Array): boolean {
	for (let i = 0; i < text.length; i++) {
		if (bytes[start + i] !== text[i]) {
			return false;
		}
	}
	return true;
}
