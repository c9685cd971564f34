/** The browser that the live tests drive: Debian's Chromium. */
import fs from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome'];

/** Throws when there is none. */
export function openBrowser(): Promise<Browser> {
	const executablePath = [process.env.CHROMIUM, ...PLACES].find((place) => place !== undefined && fs.existsSync(place));
	if (executablePath === undefined) {
		throw new Error('Chromium is missing: these tests drive the page in it. Install it (apt-get install chromium), or name it in CHROMIUM');
	}
	return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Throws when there is none. */
export function findFirefox(): string {
	const found = [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'].find((place) => place !== undefined && fs.existsSync(place));
	if (found === undefined) {
		throw new Error('Firefox is missing: the page is looked at in it once. Install it (apt-get install firefox-esr), or name it in FIREFOX');
	}
	return found;
}
