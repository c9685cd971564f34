/** Opens proftool profiles. */
import { readProftoolProfile } from '../formats/proftool-profile/read.js';
import type { Profile } from '../model/profile.js';
import { openFile } from './file-source.js';

/** Reads the profile in a file, compressed or not; `name` is what messages call it. Throws an {@link InputError} when it is none. */
export async function openProftoolProfile(filePath: string, name = filePath): Promise<Profile> {
	const { source } = await openFile(filePath, name);
	try {
		return readProftoolProfile(source);
	} finally {
		source.close();
	}
}
