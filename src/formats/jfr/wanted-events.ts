/** Events of which some fields are read by name: as they stand in the file, and their values when the chunk's constants are known. */
import type { Constants } from './constants.js';
import { type ConstantKey, type JfrCursor, JfrDamage } from './cursor.js';
import { eventHead } from './event-head.js';
import { type JfrValue, layoutOf, readValue, type Selection, selectionOf } from './layout.js';
import type { JfrField, JfrType } from './metadata.js';

export interface WantedEventType {
	readonly name: string;
	/** Fields, `callee.type` for one inside of another. */
	readonly wanted: readonly string[];
	readonly selection: Selection;
	readonly fields: ReadonlyMap<string, JfrField>;
	/** Of each field that is wanted: its place among the values, and what describes it where it stands in the event itself. */
	readonly slots: ReadonlyMap<string, EventSlot>;
}

interface EventSlot {
	readonly place: number;
	readonly field: JfrField | undefined;
}

/** An event before its constants are known. */
export interface RawEvent {
	readonly type: WantedEventType;
	readonly values: readonly JfrValue[];
}

/** What a chunk has behind its events. */
export interface ChunkFacts {
	readonly types: ReadonlyMap<number, JfrType>;
	readonly constants: Constants;
	/** Milliseconds since the JVM's start; null where the file does not tell. */
	readonly msOf: (ticks: number) => number | null;
	/** Of a duration. */
	readonly msPerTick: number | null;
}

/** Throws a {@link JfrDamage}. */
export function wantedEventType(types: ReadonlyMap<number, JfrType>, type: JfrType, wanted: readonly string[]): WantedEventType {
	const fields = new Map(type.fields.map((field) => [field.name, field]));
	const slots = new Map(wanted.map((name, place) => [name, { place, field: fields.get(name) }]));
	return { name: type.name, wanted, selection: selectionOf(layoutOf(types, type), wanted), fields, slots };
}

/** The cursor stands at the event; null: it is not as its type says. */
export function readWantedEvent(cursor: JfrCursor, sizeBytes: number, type: WantedEventType): RawEvent | null {
	const end = cursor.at + sizeBytes;
	if (eventHead(cursor, sizeBytes) === null) {
		return null;
	}
	try {
		const values = readValue(cursor, type.selection);
		return cursor.at <= end ? { type, values } : null;
	} catch (error) {
		if (error instanceof JfrDamage) {
			return null;
		}
		throw error;
	}
}

/** The constants that the fields name have to be kept before the chunk's are read. */
export function keepConstants(constants: Constants, types: Iterable<WantedEventType>): void {
	for (const { fields, wanted } of types) {
		for (const [name, field] of fields) {
			if (!field.isConstant || !wanted.includes(name)) {
				continue;
			}
			if (name === 'eventThread') {
				constants.keepThread(field);
			} else if (name === 'method' || name === 'caller') {
				constants.keepMethod(field);
			} else {
				constants.keepText(field);
			}
		}
	}
}

/** Values by the name of the field; null where there is none, or none of this kind. */
export class EventValues {
	private readonly event: RawEvent;
	private readonly constants: Constants;

	constructor(event: RawEvent, constants: Constants) {
		this.event = event;
		this.constants = constants;
	}

	value(name: string): JfrValue {
		return this.valueOf(this.event.type.slots.get(name));
	}

	number(name: string): number | null {
		const value = this.value(name);
		return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
	}

	text(name: string): string | null {
		const slot = this.event.type.slots.get(name);
		return slot?.field?.isConstant ? this.constants.constantText(slot.field, this.keyOf(slot)) : this.constants.string(this.valueOf(slot));
	}

	method(name: string): ReturnType<Constants['method']> {
		const slot = this.event.type.slots.get(name);
		return slot?.field === undefined ? null : this.constants.method(slot.field, this.keyOf(slot));
	}

	thread(name: string): ReturnType<Constants['thread']> | null {
		const slot = this.event.type.slots.get(name);
		return slot?.field === undefined ? null : this.constants.thread(slot.field, this.keyOf(slot));
	}

	private valueOf(slot: EventSlot | undefined): JfrValue {
		return slot === undefined ? undefined : this.event.values[slot.place];
	}

	private keyOf(slot: EventSlot): ConstantKey {
		const value = this.valueOf(slot);
		return typeof value === 'number' || typeof value === 'bigint' ? value : 0;
	}
}
