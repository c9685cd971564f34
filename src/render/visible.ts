/** Names from logs are hostile text: what could move a cursor or reorder a line is made visible. */

const INVISIBLE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/**
 * Text from a log as it may be shown: control and direction characters become `\uXXXX`. Line ends and tabs stay when they are
 * the report's own (`isName` false), a name has none.
 */
export function visible(text: string, isName = true): string {
	const shown = text.replace(INVISIBLE, escapeCharacter);
	return isName ? shown.replace(/[\t\n]/g, escapeCharacter) : shown;
}

function escapeCharacter(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
