/** Which side of a comparison has something. */

export type Side = 'minus' | 'plus' | 'star';

const SIGN_TEXT: Record<Side, string> = { minus: '−', plus: '+', star: '∗' };
const SIGN_WORDS: Record<Side, string> = { minus: 'only in a', plus: 'only in b', star: 'changed' };

export function Sign({ of }: { readonly of: Side }) {
	return (
		<i class={`sign ${of}`} title={SIGN_WORDS[of]} role="img" aria-label={SIGN_WORDS[of]}>
			<b>{SIGN_TEXT[of]}</b>
		</i>
	);
}
