/** Opens proftool profiles. */
import { readProftoolProfile } from '../formats/proftool-profile/read.js';
import type { Profile } from '../model/profile.js';
import { type LogFile, openLogFile } from './log-file.js';

/** Reads the profile in a file, compressed or not. Throws an {@link InputError} when it is none. */
export async function openProftoolProfile(file: LogFile): Promise<Profile> {
	const { source } = await openLogFile(file);
	try {
		return readProftoolProfile(source);
	} finally {
		source.close();
	}
}
