import { UsageError } from '../errors.js';
import { checkOptions, isListOf, optionRules, type OptionRules } from '../option-rules.js';
import { secretRule as secret } from '../sign/given-secrets.js';
import type { PathVerification, ReceiverOptions, WaitOptions } from './webhook-receiver.js';

const { text, texts, flag, whole, count, milliseconds, someMilliseconds } = optionRules;

/**
 * Checks names and types of the options of `createReceiver`; JavaScript callers may pass anything.
 * @throws UsageError that names the option, never its value
 */
export function checkReceiverOptions(options: ReceiverOptions): void {
  checkOptions(options, receiverRules);
  options.verify?.forEach((rule, index) => {
    if (typeof rule !== 'string') checkPathVerification(rule, `verify[${index}]: `);
  });
  if (options.forwardTimeoutMs !== undefined && options.forward === undefined) {
    throw new UsageError('forwardTimeoutMs needs forward; pass both');
  }
}

/** @throws UsageError unless they are a list of texts */
export function checkFaults(faults: readonly string[]): void {
  if (!texts.accepts(faults)) throw new UsageError(`faults must be ${texts.form}`);
}

/** @throws UsageError that names the option of `waitFor` */
export function checkWaitOptions(options: WaitOptions): void {
  checkOptions(options, waitRules);
}

function checkPathVerification(rule: PathVerification, where: string): void {
  checkOptions(rule, pathRules, where);
  for (const name of ['path', 'secret'] as const) {
    if (pathRules[name].accepts(rule[name])) continue;
    throw new UsageError(`${where}${name} must be ${pathRules[name].form}`);
  }
}

const scheme = { ...text, form: 'the name of a preset, or auto' };

const receiverRules: OptionRules<ReceiverOptions> = {
  port: {
    accepts: (value) => whole.accepts(value) && (value as number) >= 0 && (value as number) < 65536,
    form: 'a whole number from 0 to 65535',
  },
  host: {
    accepts: (value) => text.accepts(value) && value !== '',
    form: 'a name or an address',
  },
  secret,
  scheme,
  verify: {
    accepts: isListOf((one) => text.accepts(one) || (typeof one === 'object' && one !== null)),
    form: 'a list of rules, each a text or an object with path and secret',
  },
  enforce: flag,
  dedupe: flag,
  faults: texts,
  seed: whole,
  respond: texts,
  forward: text,
  forwardTimeoutMs: someMilliseconds,
};

const pathRules: OptionRules<PathVerification> = { path: text, scheme, secret };

const waitRules: OptionRules<WaitOptions> = { count, timeoutMs: milliseconds };
