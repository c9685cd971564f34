/** Names of perf's events: `cycles:u` is the event `cycles` with a modifier. */
import type { SamplesBuilder } from '../../model/samples.js';

/** The event's number in the builder. */
export function eventNumber(builder: SamplesBuilder, text: string): number {
	const modifier = text.lastIndexOf(':');
	return modifier > 0 ? builder.eventNumber(text.slice(0, modifier), text.slice(modifier)) : builder.eventNumber(text);
}
