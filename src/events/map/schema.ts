import { z } from 'zod';
import { suggestion } from '../../nearest.js';
import { isConst, isPathValue, membersOf, targets, timeUnits, type EventMap } from './event-map.js';
import { isPath, restNames } from './path.js';
import { isZone } from './zone.js';

/** A problem of a map and its path in the file. */
export interface MapProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const path = z
  .string(wrong('must be a path, like user.id'))
  .refine((text) => isPath(text) && !restNames(text), 'must be a path, like user.id');

const flag = z.boolean(wrong('must be true or false, without quotes'));

/** YAML numbers that JavaScript cannot hold would lose digits. */
const json = z
  .json(wrong('must be a value that JSON has'))
  .refine(isExact, 'has a number of too many digits; put it in quotes');

const constValue = z.strictObject({ const: json });

const pathValue = z
  .strictObject({
    path: z.union(
      [path, z.array(path).min(1, 'must be a path or a list of paths')],
      wrong('must be a path or a list of paths'),
    ),
    values: z
      .record(z.string(), json, wrong('must map values to values, like buy: track'))
      .exactOptional(),
    default: json.exactOptional(),
    json: flag.exactOptional(),
    as: z.literal('text', wrong('must be text')).exactOptional(),
    unit: z.enum(timeUnits, wrong(`must be one of ${timeUnits.join(', ')}`)).exactOptional(),
    zone: z
      .string(wrong('must be a time zone, like Europe/Berlin'))
      .refine(isZone, {
        error: ({ input }) =>
          `is ${JSON.stringify(input)}, which is no time zone; use a name like Europe/Berlin, or an offset like +02:00`,
      })
      .exactOptional(),
    local: flag.exactOptional(),
    required: flag.exactOptional(),
  })
  .refine(
    ({ local, zone }) => local !== true || zone !== undefined,
    'has local, which needs a zone',
  )
  .refine(
    ({ values, json, as, unit, zone }) =>
      [values, json, as, unit ?? zone].filter((given) => given !== undefined).length <= 1,
    'has several ways to read a value; use one of values, json, as, and unit or zone',
  );

const textValue = z
  .string(wrong('must be a path, or a mapping'))
  .refine(isPath, 'must be a path, like user.id, or * for all other members');

/** Each kind of value is checked by its own schema: a union could only say that none fits. */
const value = z.unknown().superRefine((given, context) => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    report(textValue, given, []);
  } else if (isConst(given)) report(constValue, given, []);
  else if (isPathValue(given)) report(pathValue, given, []);
  else reportMembers(given as Record<string, unknown>);

  function reportMembers(members: Record<string, unknown>): void {
    const inner = membersOf(members as never) as Record<string, unknown>;
    const at = inner === members ? [] : ['members'];
    for (const [name, member] of Object.entries(inner)) {
      report(name === '*' ? others : value, member, [...at, name]);
    }
  }

  function report(schema: z.ZodType, input: unknown, at: string[]): void {
    for (const { path, message } of schema.safeParse(input).error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: [...at, ...path], message });
    }
  }
}) as z.ZodType;

const others = z
  .string(wrong('must be *, or a path that ends in .*'))
  .refine(
    (text) => isPath(text) && restNames(text) !== undefined,
    'must be *, or a path that ends in .*',
  );

const skipRule = z.strictObject(
  {
    path,
    in: z
      .array(z.union([z.string(), z.number(), z.boolean()]), wrong('must be a list of values'))
      .min(1, 'must not be empty'),
  },
  wrong('must be a mapping with the keys path and in'),
);

const paths = z.array(path, wrong('must be a list of paths'));

/**
 * Checks the value of a map file.
 *
 * @param vendors The names that `from` may have.
 */
export function checkMap(given: unknown, vendors: readonly string[]): EventMap | MapProblem {
  const keys = ['from', ...targets, '*', 'json', 'drop', 'skip'];
  const skips = Array.isArray((given as { skip?: unknown } | null)?.skip);
  const schema = z.strictObject(
    {
      from: z.enum(vendors, wrong(`must be one of ${vendors.join(', ')}`)).exactOptional(),
      ...Object.fromEntries(targets.map((name) => [name, value.exactOptional()])),
      '*': others.exactOptional(),
      json: paths.exactOptional(),
      drop: paths.exactOptional(),
      skip: (skips ? z.array(skipRule) : skipRule).exactOptional(),
    },
    {
      error: ({ code, keys: unknown }) =>
        code === 'unrecognized_keys'
          ? `is not a key of a map; ${suggestion(String(unknown[0]), keys)}`
          : `must be a mapping with some of the keys ${keys.join(', ')}`,
    },
  );
  const { error, data } = schema.safeParse(given);
  if (error) {
    const unknown = error.issues.find(({ code }) => code === 'unrecognized_keys');
    const issue = unknown ?? error.issues[0]!;
    const key = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
    return { path: [...issue.path, ...key], message: issue.message };
  }
  const map = data as EventMap;
  if (map.type !== undefined || map.from !== undefined) return map;
  const message =
    'has no type: add one, like type: { const: track }, or from: with the name of a vendor';
  return { path: [], message };
}

function isExact(given: unknown): boolean {
  if (typeof given === 'number') return !Number.isInteger(given) || Number.isSafeInteger(given);
  return typeof given !== 'object' || given === null || Object.values(given).every(isExact);
}

function wrong(message: string) {
  return {
    error: (issue: { input?: unknown }) => (issue.input === undefined ? 'is missing' : message),
  };
}
