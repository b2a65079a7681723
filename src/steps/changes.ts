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
import { noted, TextEvent } from '../events/text-event.js';
import { openWrapper } from '../events/wrapper.js';
import { editorOf, StepError, type Editor, type Step } from './step.js';

/** What is done to each record; plain data, so that it can be handed to other threads. */
export interface RecordChanges {
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
  readonly #edit: Editor;

  constructor({ selection, steps, hashKey }: Changes) {
    this.#isSelected = selector(selection);
    this.#edit = editorOf(steps, hashKey);
  }

  /** Reads one line; a dead letter is read as the record that it holds. */
  readonly parse = (line: Buffer, origin: Origin, isText = false): Item => {
    const text = trim(line);
    const value = parseObject(text, isText);
    if (value instanceof Refusal) {
      return { ...value.violation, origin, bytes: text, isJson: value.isJson };
    }
    const wrapped = openWrapper(text, value);
    if (!wrapped) return this.#parseRecord(text, value, origin, undefined);
    const record = trim(wrapped.bytes);
    const inner = parseObject(record, false);
    if (inner instanceof Refusal) {
      return { ...inner.violation, origin, bytes: record, isJson: inner.isJson };
    }
    return this.#parseRecord(record, inner, origin, wrapped.givenId);
  };

  #parseRecord(record: Buffer, value: Event['value'], origin: Origin, givenId?: string): Item {
    const draft = new TextEvent(record, value.type as EventType, origin, {}, { value });
    if (!this.#isSelected(draft)) return { origin, bytes: record, items: [] };
    return this.#changed(record, origin, givenId);
  }

  #changed(record: Buffer, origin: Origin, givenId: string | undefined): Event | Problem {
    let text: Buffer;
    try {
      text = this.#edit(record);
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      return { ...error.violation, origin, bytes: record, isJson: true };
    }
    const item = parseEvent(text, origin);
    if (isProblem(item))
      return { ...item, bytes: record, ...(givenId !== undefined && { givenId }) };
    return noted(item, { givenId, ...(text !== record && { record }) });
  }
}
