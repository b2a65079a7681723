import { z } from 'zod';
import { UsageError } from '../errors.js';
import type { ConfigDocument } from './document.js';
import { bodyForms } from '../webhook/body-form.js';
import { durationHint, durationMs } from './duration.js';
import { diskSizeMessage, retentionMessage, retentionMs } from './kept.js';
import { suggestion } from '../nearest.js';
import { rateForm } from '../rate.js';
import { sizeInBytes } from '../size.js';

/** The limits of URLs per target and of static headers per URL. */
const maxEndpoints = 5;
const maxHeaders = 5;

const text = z
  .string({ error: wrongType('must be text; put the value in quotes') })
  .min(1, 'must not be empty');

const flag = z.boolean({ error: wrongType('must be true or false, without quotes') });

const durationMessage = `must be a duration; ${durationHint}`;

/** Values of the environment are checked after their expansion. */
const duration = z
  .string({ error: wrongType(durationMessage) })
  .refine((value) => value.includes('${') || durationMs(value) !== undefined, durationMessage);

const retention = z.custom<string | number>(
  (value) =>
    (typeof value === 'string' && value.includes('${')) || retentionMs(value) !== undefined,
  retentionMessage,
);

const diskSize = z.custom<string>(
  (value) =>
    typeof value === 'string' && (value.includes('${') || sizeInBytes(value) !== undefined),
  { error: ({ input }) => diskSizeMessage(input) },
);

const headers = z
  .record(z.string(), text, { error: wrongType('must be a mapping of names to values') })
  .refine(
    (value) => Object.keys(value).length <= maxHeaders,
    `has too many headers; the maximum is ${maxHeaders}`,
  );

const tls = section({
  cert: text.exactOptional(),
  key: text.exactOptional(),
  ca: text.exactOptional(),
  keyPassphrase: text.exactOptional(),
});

/** One of these, which is checked once it is expanded. */
const auth = section({
  bearer: text.exactOptional(),
  basic: section({
    user: text,
    password: z.string({ error: wrongType('must be text; put the value in quotes') }),
  }).exactOptional(),
  oauth2: section({
    tokenUrl: text,
    clientId: text,
    clientSecret: text,
    scope: text.exactOptional(),
    audience: text.exactOptional(),
    authMethod: oneOf('basic', 'body').exactOptional(),
  }).exactOptional(),
});

const texts = z.array(text, { error: wrongType('must be a list of texts') });

const count = z
  .int({ error: wrongType('must be a whole number, without quotes') })
  .min(1, 'must be 1 or more');

/** What an endpoint may have for itself, and its target for all of its endpoints. */
const endpointKeys = {
  types: texts.min(1, 'must not be empty: leave it out for all types').exactOptional(),
  events: texts.min(1, 'must not be empty: leave it out for all events').exactOptional(),
  where: texts.exactOptional(),
  retryStatus: z
    .array(z.int({ error: wrongType('must be a status, from 400 to 599') }), {
      error: wrongType('must be a list of statuses'),
    })
    .exactOptional(),
  timeout: duration.exactOptional(),
  concurrency: count.exactOptional(),
  rate: z.union([text, z.number()], { error: wrongType(rateForm) }).exactOptional(),
};

const batch = section({
  size: count.exactOptional(),
  maxBytes: z
    .string({ error: wrongType('must be a size, in quotes; use a unit, e.g. 500KB') })
    .exactOptional(),
  wait: duration.exactOptional(),
});

const endpoint = section({
  url: text,
  headers: headers.exactOptional(),
  proxy: text.exactOptional(),
  auth: auth.exactOptional(),
  tls: tls.exactOptional(),
  ...endpointKeys,
});

const endpoints = z
  .array(endpoint, { error: wrongType('must be a list of endpoints, each with a url') })
  .min(1, 'must have at least one endpoint')
  .max(maxEndpoints, `has too many endpoints; the maximum is ${maxEndpoints}`);

const secretText = text.refine((value) => value.trim() !== '', 'must not be only white space');

/** One secret, or for a rotation several, newest first. */
const sharedSecret = z.union([secretText, z.array(secretText).min(1, 'must not be empty')], {
  error: wrongType('must be text, in quotes, or a list of texts'),
});

/** Of what a raw source answers. */
export const acceptedStatus = 'must be a status from 200 to 299: what it answers is stored';

/** What only a source of `type: raw` has. */
const rawSourceKeys = ['path', 'scheme', 'secret', 'enforce', 'respond'] as const;

const webhooks = section({
  sharedSecret: sharedSecret.exactOptional(),
  endpoints,
  tls: tls.exactOptional(),
  body: z.enum(bodyForms, { error: wrongType('must be webhook or original') }).exactOptional(),
  batch: batch.exactOptional(),
  scheme: text.exactOptional(),
  proxy: text.exactOptional(),
  auth: auth.exactOptional(),
  ...endpointKeys,
});

const collector = section({ writeKey: text, endpoint: text });

const profile = section({
  webhooks: webhooks.exactOptional(),
  collector: collector.exactOptional(),
  timeout: duration.exactOptional(),
  retryWindow: duration.exactOptional(),
  allUrls: flag.exactOptional(),
});

const source = section({
  type: oneOf('events', 'raw').exactOptional(),
  writeKey: text.exactOptional(),
  path: text.exactOptional(),
  scheme: text.exactOptional(),
  secret: sharedSecret.exactOptional(),
  enforce: flag.exactOptional(),
  respond: z
    .union(
      [
        section({
          status: z
            .int({ error: wrongType('must be a whole number, without quotes') })
            .min(200, acceptedStatus)
            .max(299, acceptedStatus),
        }),
        texts.min(1, 'must not be empty'),
      ],
      { error: wrongType('must be { status: 202 }, or a list of texts as of --respond') },
    )
    .exactOptional(),
  enabled: flag.exactOptional(),
  destinations: z.array(text, { error: wrongType('must be a list of destination names') }),
}).superRefine((value, context) => {
  const refuse = (key: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [key], message });
  if (value.type !== 'raw') {
    const rawKeys = rawSourceKeys.filter((key) => value[key] !== undefined);
    for (const key of rawKeys) refuse(key, 'is a key of a source of type: raw; add that type');
    if (value.writeKey === undefined && rawKeys.length === 0) refuse('writeKey', 'is missing');
  } else if (value.writeKey !== undefined) {
    refuse('writeKey', 'is a key of sources of events; leave it out, or type: raw');
  }
});

const resign = section({ scheme: text, secret: sharedSecret });

const alerts = section({
  url: text,
  sharedSecret: sharedSecret.exactOptional(),
  scheme: text.exactOptional(),
  after: duration.exactOptional(),
});

const destination = section({
  type: z.literal('Webhooks', { error: wrongType('must be Webhooks') }).exactOptional(),
  name: text.exactOptional(),
  enabled: flag.exactOptional(),
  allowPrivateNetworks: flag.exactOptional(),
  sharedSecret: sharedSecret.exactOptional(),
  endpoints,
  scheme: text.exactOptional(),
  resign: resign.exactOptional(),
  retryWindow: duration.exactOptional(),
  proxy: text.exactOptional(),
  auth: auth.exactOptional(),
  alerts: alerts.exactOptional(),
  batch: batch.exactOptional(),
  ordered: z.literal('user', { error: wrongType('must be user') }).exactOptional(),
  retention: retention.exactOptional(),
  tls: tls.exactOptional(),
  ...endpointKeys,
});

const deadLetters = section({ keep: count.exactOptional() });

const scheme = section({
  content: text,
  digest: oneOf('sha1', 'sha256', 'sha512', 'ed25519'),
  encoding: oneOf('hex', 'base64'),
  secret: section({
    prefix: text.exactOptional(),
    encoding: oneOf('utf8', 'base64').exactOptional(),
  }).exactOptional(),
  header: text,
  value: text.exactOptional(),
  separator: text.exactOptional(),
  timestamp: section({
    header: text.exactOptional(),
    format: oneOf('seconds', 'ms', 'iso').exactOptional(),
  }).exactOptional(),
  id: section({ header: text }).exactOptional(),
  tolerance: duration.exactOptional(),
});

const configFile = section({
  profiles: named(profile).exactOptional(),
  sources: named(source).exactOptional(),
  destinations: named(destination).exactOptional(),
  deadLetters: deadLetters.exactOptional(),
  retention: retention.exactOptional(),
  maxDisk: diskSize.exactOptional(),
  schemes: named(scheme).exactOptional(),
  store: text.exactOptional(),
});

/** A valid configuration file; its strings may still contain `${NAME}`. */
export type ConfigFile = z.infer<typeof configFile>;
/** A profile in the file. */
export type ProfileSection = z.infer<typeof profile>;
/** An endpoint in the file. */
export type EndpointSection = z.infer<typeof endpoint>;
/** Batches of a target in the file. */
export type BatchSection = z.infer<typeof batch>;
/** What a target in the file may have for all of its endpoints. */
export type EndpointKeys = Pick<EndpointSection, keyof typeof endpointKeys>;
/** A source in the file: a sender of events, or any sender, and its destinations. */
export type SourceSection = z.infer<typeof source>;
/** A destination in the file. */
export type DestinationSection = z.infer<typeof destination>;
/** The certificates of an endpoint in the file, as paths. */
export type TlsSection = z.infer<typeof tls>;
/** Where alerts about a destination go. */
export type AlertsSection = z.infer<typeof alerts>;
/** An own signature scheme in the file. */
export type SchemeSection = z.infer<typeof scheme>;

/**
 * Checks a whole file against the schema, including the parts that are not used.
 *
 * @throws UsageError with file, line and key path, but no values. Unknown keys are reported first: a
 * mistyped key also causes a missing one.
 */
export function checkConfig(document: ConfigDocument): ConfigFile {
  const result = configFile.safeParse(document.value);
  if (result.success) return result.data;
  const { issues } = result.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!;
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path;
  throw new UsageError(`${document.where(path)} ${issue.message}`);
}

/** A mapping with these keys and no others. */
function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `is not a known key; ${suggestion(issue.keys[0]!, known)}`
        : wrongType(`must be a mapping with the keys ${known.join(', ')}`)(issue),
  });
}

function oneOf<const Word extends string>(...words: readonly [Word, ...Word[]]) {
  const listed = `${words.slice(0, -1).join(', ')} or ${words.at(-1)!}`;
  return z.enum(words, { error: wrongType(`must be ${listed}`) });
}

/** A mapping whose keys are chosen by the user. */
function named<Section extends z.ZodType>(each: Section) {
  return z.record(z.string(), each, {
    error: wrongType('must be a mapping of names to settings'),
  });
}

function wrongType(message: string): (issue: { input?: unknown }) => string {
  return (issue) => (issue.input === undefined ? 'is missing' : message);
}
