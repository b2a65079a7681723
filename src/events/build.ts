import { UsageError } from '../errors.js';
import { parseAssignment } from './assignment.js';
import { baseText, type BaseFlags } from './base.js';
import { readObject, type ReadText } from '../json/source.js';
import { emptyObject, obstacle, setIn, textOf } from '../json/set-in.js';

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
