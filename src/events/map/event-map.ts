/** A value that JSON can write. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue };

export const timeUnits = ['auto', 's', 'ms', 'us', 'ns', 'iso'] as const;
/** How a number stands for a time; `auto` tells it by the number of its digits, and also reads texts. */
export type TimeUnit = (typeof timeUnits)[number];

export interface ConstValue {
  readonly const: JsonValue;
}

/** A value of the record, perhaps read or translated. A value that is null counts as absent. */
export interface PathValue {
  /** Of several paths the first that is there and not null counts. */
  readonly path: string | readonly string[];
  /** A lookup by the value's text. */
  readonly values?: Readonly<Record<string, JsonValue>>;
  /** For a value that is absent, or that `values` does not have. */
  readonly default?: JsonValue;
  /** The value is a text that holds JSON. */
  readonly json?: boolean;
  /** A number or boolean becomes a text of the same spelling. */
  readonly as?: 'text';
  readonly unit?: TimeUnit;
  /** IANA name or offset (`+02:00`) of times without a zone. */
  readonly zone?: string;
  /** Numbers count from 1970 in the local time of `zone`, not in UTC. */
  readonly local?: boolean;
  /** A record without the value is rejected. */
  readonly required?: boolean;
}

/**
 * A path; `*` or `a.*` for all members of the record, or of its object `a`, that are used nowhere else;
 * or an object of names and values, written out (`members`) or as it is. In it the name `*` adds
 * all other members of an object.
 */
export type MapValue = string | ConstValue | PathValue | MembersValue | MapMembers;

/** For names that would be mistaken for `path` or `const` of a value. */
export interface MembersValue {
  readonly members: MapMembers;
}

export interface MapMembers {
  readonly [name: string]: MapValue;
}

/** Records that are no events: the value at `path`, as a text, is one of `in`. */
export interface SkipRule {
  readonly path: string;
  readonly in: readonly (string | number | boolean)[];
}

/**
 * How records become events, as plain data: it can be written as YAML and posted to worker threads.
 * A member is left out of events whose type does not have it.
 */
export interface EventMap {
  /** The vendor whose map this one changes. */
  readonly from?: string;
  readonly type?: MapValue;
  readonly event?: MapValue;
  readonly name?: MapValue;
  readonly category?: MapValue;
  readonly messageId?: MapValue;
  readonly userId?: MapValue;
  readonly anonymousId?: MapValue;
  readonly groupId?: MapValue;
  readonly previousId?: MapValue;
  readonly timestamp?: MapValue;
  readonly properties?: MapValue;
  readonly traits?: MapValue;
  readonly context?: MapValue;
  readonly integrations?: MapValue;
  /** `*` or `a.*`: all other members become members of the event itself. */
  readonly '*'?: string;
  /** Paths of texts that hold JSON, which is read before any other path is looked up; else left as they are. */
  readonly json?: readonly string[];
  /** Paths that no `*` includes. */
  readonly drop?: readonly string[];
  readonly skip?: SkipRule | readonly SkipRule[];
}

/** Members of an event that a map gives, in the order in which they are written. */
export const targets = [
  'type',
  'event',
  'name',
  'category',
  'messageId',
  'userId',
  'anonymousId',
  'groupId',
  'previousId',
  'timestamp',
  'properties',
  'traits',
  'context',
  'integrations',
] as const satisfies readonly (keyof EventMap)[];

export type TargetName = (typeof targets)[number];

const valueKeys = [
  'path',
  'values',
  'default',
  'json',
  'as',
  'unit',
  'zone',
  'local',
  'required',
] as const satisfies readonly (keyof PathValue)[];

export function isConst(value: object): value is ConstValue {
  return 'const' in value && Object.keys(value).length === 1;
}

/** An object with another name beside `path` is one of names and values: `{ path: page_path, url: page_url }`. */
export function isPathValue(value: object): value is PathValue {
  return 'path' in value && Object.keys(value).every((key) => isValueKey(key));
}

function isValueKey(key: string): boolean {
  return (valueKeys as readonly string[]).includes(key);
}

export function membersOf(value: MembersValue | MapMembers): MapMembers {
  const { members } = value;
  const isWrapped = Object.keys(value).length === 1 && typeof members === 'object';
  return isWrapped ? (members as MapMembers) : (value as MapMembers);
}
