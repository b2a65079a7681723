import { UsageError } from '../errors.js';
import { similar } from '../nearest.js';
import { quoted } from '../quoted.js';
import { groupOf, type Check } from './check.js';

/** Patterns of ids: `sign.tampered`, a group or a family of ids (`sign`, `sign.raw-bytes`), `*` for any characters. */
export interface Selection {
  /** Absent: all. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
}

/**
 * The checks that are asked for, in the same order, with those that they need.
 * @param usual the kind of event that shows whether an endpoint accepts anything, without which refusals prove nothing
 * @throws UsageError for a pattern that fits no id, with the nearest one, and if no check is left
 */
export function selectChecks(
  all: readonly Check[],
  { only, skip = [] }: Selection,
  usual: string,
): readonly Check[] {
  const isOnly = only && only.length > 0 ? matcher(all, only, '--only') : () => true;
  const isSkipped = matcher(all, skip, '--skip');
  const asked = all.filter((check) => isOnly(check) && !isSkipped(check));
  if (asked.length === 0) {
    throw new UsageError('no check is left; remove --only or --skip', 'no_checks');
  }
  const needsEvent = asked.some(({ stage }) => stage !== 'connect' && stage !== 'accept');
  if (!needsEvent || asked.some(({ stage }) => stage === 'accept')) return asked;
  return all.filter((check) => check.id === `accept.${usual}` || asked.includes(check));
}

function matcher(
  all: readonly Check[],
  patterns: readonly string[],
  flag: string,
): (check: Check) => boolean {
  const forms = patterns.map((pattern) => {
    const form = formOf(pattern);
    if (!all.some(({ id }) => form.test(id))) throw unknownPattern(pattern, all, flag);
    return form;
  });
  return ({ id }) => forms.some((form) => form.test(id));
}

function formOf(pattern: string): RegExp {
  const literal = pattern.replace(/[\\^$.+?()[\]{}|/-]/g, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll('*', '.*')}(\\..*)?$`);
}

function unknownPattern(pattern: string, all: readonly Check[], flag: string): UsageError {
  const names = pattern.includes('*')
    ? all.map((check) => `${groupOf(check)}.*`)
    : all.map(({ id }) => id);
  const near = similar(pattern, names);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return new UsageError(
    `${flag}: there is no check ${quoted(pattern, 'of this name')}${hint} (evfwd check --dry-run lists all)`,
    'unknown_check',
  );
}
