import { UsageError } from '../errors.js';
import { baseText, type BaseFlags } from './base.js';
import { readObject, type ReadText, jsonProblem } from '../json/source.js';
import { parsePath } from '../json/path.js';
import { emptyObject, obstacle, setIn, textOf } from '../json/set-in.js';
import { quoted } from '../quoted.js';

/** The flags of `send` that say what the event is. All are texts as typed. */
export interface EventFlags extends BaseFlags {
  /** The positional type. */
  type?: string;
  userId?: string;
  anonymousId?: string;
  event?: string;
  name?: string;
  category?: string;
  groupId?: string;
  previousId?: string;
  messageId?: string;
  timestamp?: string;
  /** JSON objects, as text or `@file`. */
  properties?: string;
  traits?: string;
  context?: string;
  integrations?: string;
  /** Each `-P`, in their order. */
  property?: string[];
  /** Each `-T`, in their order. */
  trait?: string[];
}

/**
 * The text of the event that the flags describe: a base (`--data`, `--fixture`, or nothing) with
 * members set in it. No value is encoded again: members without a flag stay as in the base, byte for
 * byte, and JSON from flags is copied unchanged. `messageId` and `timestamp` are not generated here.
 *
 * @param readText Reads the files that flags name; `-` is standard input.
 * @throws UsageError that names the flag.
 */
export async function buildEvent(flags: EventFlags, readText: ReadText): Promise<Buffer> {
  const base = await baseText(flags, readText);
  const named = textMembers.reduce((event, name) => setText(event, name, flags[name]), base);
  const filled = await setObjects(named, flags, readText);
  const withProperties = assignAll(filled, '-P', 'properties', flags.property);
  return assignAll(withProperties, '-T', 'traits', flags.trait);
}

/** Members that a flag of the same name sets to a text, in the order in which new ones are added. */
const textMembers = [
  'type',
  'messageId',
  'userId',
  'anonymousId',
  'previousId',
  'groupId',
  'timestamp',
  'event',
  'name',
  'category',
] as const;

const objectMembers = ['context', 'integrations', 'properties', 'traits'] as const;

function setText(event: Buffer, name: string, value: string | undefined): Buffer {
  return value === undefined ? event : setIn(event, [name], Buffer.from(JSON.stringify(value)));
}

async function setObjects(base: Buffer, flags: EventFlags, readText: ReadText): Promise<Buffer> {
  let event = base;
  for (const name of objectMembers) {
    const given = flags[name];
    if (given === undefined) continue;
    event = setIn(event, [name], await readObject(`--${name}`, given, readText));
  }
  return event;
}

type Assigned = 'properties' | 'traits';

function assignAll(base: Buffer, flag: string, member: Assigned, texts: string[] = []): Buffer {
  return texts.reduce(
    (event, text) => assign(event, flag, member, text),
    texts.length === 0 ? base : opened(base, member),
  );
}

/** An empty array or null means no properties; PHP writes an empty map as `[]`. */
function opened(event: Buffer, member: Assigned): Buffer {
  const text = textOf(event, member)?.toString() ?? '';
  return /^(null|\[\s*\])$/.test(text) ? setIn(event, [member], emptyObject) : event;
}

function assign(event: Buffer, flag: string, member: Assigned, text: string): Buffer {
  const { path, value } = parseAssignment(flag, text);
  const blocked = obstacle(event, [member, ...path]);
  if (!blocked) return setIn(event, [member, ...path], value);
  const key = path.join('.');
  throw new UsageError(`${flag} ${key} cannot be set: ${blocked.join('.')} is not an object`);
}

/** What `-P`, `-T` and `--set` assign: a value's JSON text, at a path. */
export interface Assignment {
  readonly path: readonly string[];
  readonly value: Buffer;
}

/**
 * Reads `key=text` or `key:=json`. The first `=` splits, dots in the key nest, `\.` is a dot of the
 * name itself. JSON text is kept unchanged.
 *
 * @param flag The flag's name, for errors.
 * @throws UsageError that names flag and key.
 */
export function parseAssignment(flag: string, text: string): Assignment {
  const split = text.indexOf('=');
  if (split === -1) throw malformed(flag, text, 'has no value');
  const isJson = text[split - 1] === ':';
  const key = text.slice(0, isJson ? split - 1 : split);
  const path = parsePath(key);
  if (path.includes('')) throw malformed(flag, key, 'has an empty name in its key');
  const value = text.slice(split + 1);
  if (!isJson) return { path, value: Buffer.from(JSON.stringify(value)) };
  const problem = jsonProblem(value);
  if (problem) throw new UsageError(`${flag} ${key}:= ${problem}; use ${key}=… for text`);
  return { path, value: Buffer.from(value) };
}

function malformed(flag: string, key: string, what: string): UsageError {
  return new UsageError(
    `${flag} ${quoted(key, 'argument')} ${what}; write key=text or key:=json, with dots to nest`,
  );
}
