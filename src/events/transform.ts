import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../errors.js';
import { isProblem, type Event, type Problem } from './event.js';
import { memberText, objectOf, type TextPart } from '../json/composed-text.js';
import { isObject } from '../json/is-object.js';
import { findMember, scanMembers } from '../json/members.js';
import { parseEvent, parseObject, Refusal } from './parse.js';
import { noted, withGivenId } from './text-event.js';

/** What a `--transform` file exports by default: an event's value → its value, several, or null. */
export type TransformFunction = (event: Record<string, unknown>) => unknown;

/** An event, or a record that is none yet → the events that replace it; none skips it. */
export type Transform = (item: Event | Problem) => Promise<readonly (Event | Problem)[]>;

/** What a function gets: an event, or a JSON object that is not a valid one. */
type Changeable = Pick<Event, 'bytes' | 'value' | 'members' | 'origin' | 'givenId'>;

/** @throws UsageError when the module cannot be loaded or its default export is not a function. */
export async function loadTransform(path: string): Promise<Transform> {
  const module = await importModule(path);
  const change = module.default;
  if (typeof change !== 'function') {
    throw new UsageError(
      `--transform ${path}: its default export is not a function; use: export default (event) => event`,
    );
  }
  return transformWith(change as TransformFunction);
}

async function importModule(path: string): Promise<{ default?: unknown }> {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw new UsageError(
        `--transform ${path}: this Node (${process.version}) runs no TypeScript; use Node 22.18 or newer, or compile it to JavaScript`,
        'usage',
        { cause },
      );
    }
    const text = cause instanceof Error ? cause.message.split('\n', 1)[0]! : String(cause);
    const reason = text.replace(/ imported from .*$/, '');
    throw new UsageError(`--transform ${path}: cannot be loaded: ${reason}`, 'usage', { cause });
  }
}

export function transformWith(change: TransformFunction): Transform {
  return async (item) => {
    const event = isProblem(item) ? recordIn(item) : item;
    if (!event) return [item];
    let result: unknown;
    try {
      // A copy: members that the function changes in place must be seen as changed.
      result = await change(structuredClone(event.value));
    } catch (error) {
      return [failed(event, textOf(error))];
    }
    if (result === null || result === undefined) return [];
    if (!Array.isArray(result)) return [rebuild(event, result)];
    return result.map((value, part) => withPart(rebuild(event, value), part));
  };
}

/** What becomes of a line: nothing if it is not selected. A record that is no event yet is selected once it is one. */
export async function selectAndTransform(
  item: Event | Problem,
  transform: Transform,
  { isSelected, isSelectedAfter = isSelected }: Selectors,
): Promise<readonly (Event | Problem)[]> {
  if (!isProblem(item)) return isSelected(item) ? transform(item) : [];
  return (await transform(item)).filter((made) => isProblem(made) || isSelectedAfter(made));
}

export interface Selectors {
  readonly isSelected: (event: Event) => boolean;
  /** For what a transform makes of a record that was no event. Default: the same. */
  readonly isSelectedAfter?: ((event: Event) => boolean) | undefined;
}

/** The object that a line holds; undefined if it holds none that may become an event. */
function recordIn(problem: Problem): Changeable | undefined {
  const { bytes, isJson, isFinal, origin, givenId } = problem;
  const value = isJson && !isFinal ? parseObject(bytes, false) : undefined;
  if (!value || value instanceof Refusal) return undefined;
  return { bytes, value, members: scanMembers(bytes).members, origin, givenId };
}

function withPart(item: Event | Problem, part: number): Event | Problem {
  return isProblem(item) ? item : noted(item, { givenId: item.givenId, part });
}

/** Unchanged members keep their own text; only changed ones are encoded. */
function rebuild(event: Changeable, value: unknown): Event | Problem {
  if (!isObject(value)) {
    return failed(event, 'it must return an event, an array of events or null');
  }
  let text: Buffer;
  try {
    text = encode(event, value);
  } catch (error) {
    return failed(event, textOf(error));
  }
  const item = parseEvent(text, event.origin);
  return withGivenId(item, event.givenId);
}

function encode(event: Changeable, value: object): Buffer {
  const members = Object.entries(value).flatMap(([name, member]): TextPart[] => {
    const json = jsonOf(member);
    if (json === undefined) return [];
    const isOwn = isDeepStrictEqual(event.value[name], member);
    const own = isOwn ? findMember(event.members, name) : undefined;
    return [own ? event.bytes.subarray(own.nameStart, own.end) : memberText(name, json)];
  });
  return objectOf(members).toBuffer();
}

/** Undefined for a function, a symbol and undefined, which JSON omits. */
const jsonOf: (value: unknown) => string | undefined = JSON.stringify;

/** Anything can be thrown. */
function textOf(thrown: unknown): string {
  const text: unknown = thrown instanceof Error ? thrown.message : thrown;
  return typeof text === 'string' ? text : 'it threw a value that is not an error';
}

function failed(event: Changeable, reason: string): Problem {
  const { origin, bytes, givenId } = event;
  return {
    code: 'transform_failed',
    message: `--transform failed: ${reason.split('\n', 1)[0]!}`,
    origin,
    bytes,
    isJson: true,
    ...(givenId !== undefined && { givenId }),
  };
}
