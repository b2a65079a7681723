import type { Member } from '../../json/members.js';
import { TextBuilder } from '../../json/text-builder.js';
import { isObject, type Value } from './document.js';
import { appendMerged, type Layer } from './layer.js';
import type { Times } from './times.js';

/** What a call gets from its request. */
export interface Surroundings {
  /** Of the URL: beats the one of the call. */
  readonly type?: string | undefined;
  /** Of its batch. */
  readonly context?: Layer | undefined;
  readonly integrations?: Layer | undefined;
  readonly times?: Times | undefined;
}

const builder = new TextBuilder();

/**
 * The text of a call as an event: without the write key and `sentAt`, with what it gets from its
 * request. Every value that stays, stays byte for byte; null in place of an object is none.
 *
 * @param members Of `bytes`.
 * @param value `JSON.parse` of `bytes`.
 */
export function eventText(
  bytes: Buffer,
  members: readonly Member[],
  value: Value,
  surroundings: Surroundings,
): Buffer {
  const writer = new Writer(bytes, value, surroundings);
  for (const member of members) writer.rewrite(member);
  writer.addMissing();
  return writer.finish();
}

/** The bytes that a call has as its client counts them: without what is only for the transport. */
export function ownLength(bytes: Buffer, members: readonly Member[]): number {
  return members
    .filter(({ name }) => transport.has(name))
    .reduce((length, { nameStart, end }) => length - (end - nameStart) - comma, bytes.length);
}

const comma = 1;
const transport = new Set(['writeKey', 'sentAt']);

class Writer {
  readonly #bytes: Buffer;
  readonly #value: Value;
  readonly #surroundings: Surroundings;
  #separator = '{"';

  constructor(bytes: Buffer, value: Value, surroundings: Surroundings) {
    this.#bytes = bytes;
    this.#value = value;
    this.#surroundings = surroundings;
  }

  rewrite(member: Member): void {
    const { type, times } = this.#surroundings;
    const { name } = member;
    if (transport.has(name)) return;
    if (name === 'originalTimestamp' && times?.keepsOriginal) return;
    if (name === 'type' && type !== undefined) this.#writeText('type', type);
    else if (name === 'timestamp' && times) this.#rewriteTimestamp(member, times);
    else if (name === 'context' || name === 'integrations') {
      this.#merge(member, this.#surroundings[name]);
    } else if (name === 'properties' || name === 'traits') this.#merge(member, undefined);
    else this.#keep(member);
  }

  addMissing(): void {
    const { type, context, integrations, times } = this.#surroundings;
    if (type !== undefined && !this.#has('type')) this.#writeText('type', type);
    if (times?.timestamp !== undefined && !this.#has('timestamp')) {
      this.#writeText('timestamp', times.timestamp);
    }
    if (context && !this.#has('context')) this.#write('context', context.bytes);
    if (integrations && !this.#has('integrations')) {
      this.#write('integrations', integrations.bytes);
    }
  }

  finish(): Buffer {
    return builder.ascii(this.#separator === '{"' ? '{}' : '}').finish();
  }

  #has(name: string): boolean {
    return Object.hasOwn(this.#value, name);
  }

  #rewriteTimestamp(member: Member, { timestamp, keepsOriginal }: Times): void {
    if (timestamp !== undefined) this.#writeText('timestamp', timestamp);
    if (keepsOriginal) {
      this.#name('originalTimestamp').span(this.#bytes, member.start, member.end);
    }
  }

  #merge(member: Member, under: Layer | undefined): void {
    const own = this.#value[member.name];
    if (under && isObject(own)) {
      appendMerged(this.#name(member.name), this.#bytes.subarray(member.start, member.end), under);
    } else if (under && (own === null || isEmptyArray(own))) {
      this.#write(member.name, under.bytes);
    } else if (own !== null) {
      this.#keep(member);
    }
  }

  #keep({ nameStart, end }: Member): void {
    // The name brings its own quote.
    builder.ascii(this.#separator.slice(0, 1)).span(this.#bytes, nameStart, end);
    this.#separator = ',"';
  }

  #write(name: string, text: Buffer): void {
    this.#name(name).span(text, 0, text.length);
  }

  #writeText(name: string, text: string): void {
    this.#name(name).text(JSON.stringify(text));
  }

  #name(name: string): TextBuilder {
    builder.ascii(this.#separator).ascii(name).ascii('":');
    this.#separator = ',"';
    return builder;
  }
}

/** PHP sends an empty map so. */
function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
