import { UsageError } from '../errors.js';
import type { CheckOptions, EndpointReport } from './options.js';
import { checkOptions, optionRules, type OptionRule, type OptionRules } from '../option-rules.js';
import { isObject } from '../json/is-object.js';
import { secretRule } from '../sign/given-secrets.js';

/**
 * Checks whether an endpoint is a good receiver of webhooks, as `evfwd check` does. It sends some 310
 * requests; every event has the userId `evfwd-check`. It does not ask before, whatever the address.
 *
 * @param url the endpoint, with its path
 * @throws UsageError for wrong options and unknown ids; an EvfwdError with the code `unreachable` when no
 *   connection can be opened
 * @example
 * import { check } from 'evfwd';
 *
 * const report = await check('http://localhost:3000/hook', { secret: 'topsecret' });
 * const failed = report.checks.filter(({ verdict }) => verdict === 'fail');
 * for (const { id, message } of failed) console.log(id, message);
 */
export async function check(url: string, options: CheckOptions = {}): Promise<EndpointReport> {
  checkOptions(options, rules, 'check: ');
  if (typeof url !== 'string') throw new UsageError('check: the URL must be a string');
  // Imported late: most programs check nothing.
  const { checkEndpoint } = await import('./check-endpoint.js');
  return checkEndpoint(url, options);
}

const { text, texts, flag, someMilliseconds } = optionRules;

const textsByName: OptionRule = {
  accepts: (value) => isObject(value) && Object.values(value).every(text.accepts),
  form: 'an object with a text for each name',
};

const rate: OptionRule = {
  accepts: (value) => Number.isFinite(value) && (value as number) > 0,
  form: 'a number above 0',
};

const rules: OptionRules<CheckOptions> = {
  secret: secretRule,
  scheme: text,
  bodies: textsByName,
  idPath: text,
  idHeader: text,
  batch: flag,
  headers: textsByName,
  only: texts,
  skip: texts,
  deadlineMs: someMilliseconds,
  rate,
  probe: { accepts: (value) => typeof value === 'function', form: 'a function' },
  handshake: text,
  handshakeToken: text,
  strict: flag,
  ca: texts,
  signal: { accepts: (value) => value instanceof AbortSignal, form: 'an AbortSignal' },
};
