import {
  isProblem,
  type Event,
  type EventType,
  type Item,
  type Origin,
  type Problem,
} from '../events/event.js';
import { parseEvent, parseObject, Refusal, trim } from '../events/parse.js';
import { selector, type Selection } from '../events/select.js';
import type { EventMap } from '../events/map/event-map.js';
import type { RecordMapper } from '../events/map/compile-map.js';
import { noted, TextEvent } from '../events/text-event.js';
import { openWrapper } from '../events/wrapper.js';
import { findMember, scanMembers, valueAt } from '../json/members.js';
import { mapperFor } from '../vendors/index.js';
import { Editor, type Step } from './step.js';

/** What is done to each record; plain data, so that it can be handed to other threads. */
export interface RecordChanges {
  /** How records become events; undefined where they are some. */
  readonly map?: EventMap | undefined;
  readonly steps: readonly Step[];
  /** The key of `--hash`, in Base64. */
  readonly hashKey: string | undefined;
}

export interface Changes extends RecordChanges {
  /** Which events are sent; tested before the steps. */
  readonly selection: Selection;
}

/** Makes events of the records of a file: selects, changes and validates them. */
export class RecordParser {
  readonly #isSelected: (event: Event) => boolean;
  readonly #editor: Editor;
  readonly #mapper: RecordMapper | undefined;
  readonly #keepsRecords: boolean;
  #hasRead = false;

  /**
   * @param keepsRecords whether JSON records that are no events are left to a transform, which selects what it makes.
   *   Default: they are selected as events are.
   */
  constructor({ selection, map, steps, hashKey }: Changes, { keepsRecords = false } = {}) {
    this.#keepsRecords = keepsRecords;
    this.#mapper = map && mapperFor(map);
    this.#isSelected = selector(selection);
    this.#editor = new Editor(steps, hashKey);
  }

  /** Whether it has read a line. */
  get hasRead(): boolean {
    return this.#hasRead;
  }

  /** A sentence for each path of the user's map, and of a step, that no record had so far. */
  warnings(): string[] {
    const unused = this.#hasRead ? (this.#mapper?.unusedPaths() ?? []) : [];
    return [
      ...unused.map((path) => `no record has ${path}, which the map names; check its spelling`),
      ...this.#editor.warnings(),
    ];
  }

  /** Reads one line; a dead letter is read as the record that it holds. */
  readonly parse = (line: Buffer, origin: Origin, isText = false): Item => {
    this.#hasRead = true;
    const text = trim(line);
    const value = parseObject(text, isText);
    if (value instanceof Refusal) {
      return { ...value.violation, origin, bytes: text, isJson: value.isJson };
    }
    // A record of a vendor may have a member `type`, too.
    const isDeadLetter = value.type === 'dead-letter';
    const wrapped = this.#mapper && !isDeadLetter ? undefined : openWrapper(text, value);
    if (!wrapped) return this.#parseRecord(text, value, origin, undefined);
    const record = trim(wrapped.bytes);
    const inner = parseObject(record, false);
    if (inner instanceof Refusal) {
      return { ...inner.violation, origin, bytes: record, isJson: inner.isJson };
    }
    return this.#parseRecord(record, inner, origin, wrapped.givenId);
  };

  #parseRecord(record: Buffer, value: Event['value'], origin: Origin, givenId?: string): Item {
    if (!this.#mapper) {
      const draft = new TextEvent(record, value.type as EventType, origin, {}, { value });
      const isKept = this.#keepsRecords && isProblem(parseEvent(record, origin));
      if (!isKept && !this.#isSelected(draft)) return { origin, bytes: record, items: [] };
      return this.#changed(record, record, origin, givenId);
    }
    const result = this.#mapper.map(record);
    if (result === 'skipped') return { origin, bytes: record, items: [] };
    if ('code' in result) return { ...result, origin, bytes: record, isJson: true, isFinal: true };
    const { events, records } = result;
    const items = events.flatMap((text, index) => {
      const draft = new TextEvent(text, typeIn(text), origin);
      if (!this.#isSelected(draft)) return [];
      // What is sent again of a record with several events is what it holds of one.
      return [this.#changed(records?.[index] ?? record, text, origin, givenId)];
    });
    if (!records && items.length === 1) return items[0]!;
    // A record that is rejected in part is a dead letter as a whole: sent again, all of it would come twice.
    const problem = items.find(isProblem);
    if (problem) return { ...problem, record, isFinal: true };
    return { origin, bytes: record, items: items.map((item, part) => asPart(item as Event, part)) };
  }

  #changed(
    record: Buffer,
    event: Buffer,
    origin: Origin,
    givenId: string | undefined,
  ): Event | Problem {
    const { text, violation } = this.#editor.edit(event);
    const given = { record, ...(givenId !== undefined && { givenId }) };
    if (violation) {
      return { ...violation, origin, bytes: text, isJson: true, isFinal: true, ...given };
    }
    const item = parseEvent(text, origin);
    if (isProblem(item)) return { ...item, ...given };
    return noted(item, { givenId, ...(text !== record && { record }) });
  }
}

function typeIn(event: Buffer): EventType {
  const member = findMember(scanMembers(event).members, 'type');
  return (member && valueAt(event, member)) as EventType;
}

function asPart(event: Event, part: number): Event {
  return noted(event, { givenId: event.givenId, part });
}
