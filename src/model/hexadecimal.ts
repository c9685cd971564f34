/** Addresses as text. */

/** `0x7f8c64ec969e`; addresses of the kernel are negative numbers of 64 bits. */
export function hexadecimal(address: number): string {
	return `0x${address < 0 ? BigInt.asUintN(64, BigInt(address)).toString(16) : address.toString(16)}`;
}
