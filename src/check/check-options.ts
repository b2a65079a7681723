import { checkOptions, optionRules, type OptionRule, type OptionRules } from '../option-rules.js';
import { isObject } from '../json/is-object.js';
import { secretRule } from '../sign/given-secrets.js';
import type { CheckOptions } from './options.js';

/** @throws UsageError that names the first option that is unknown, or not what it must be */
export function checkCheckOptions(options: CheckOptions): void {
  checkOptions(options, rules, 'check: ');
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
