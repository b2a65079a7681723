import type { AudienceKind } from '../../audience/row.js';
import type { Staged } from '../../audience/stage-list.js';
import type { AudienceStore, Comparison } from '../../audience/store.js';
import { printable } from '../../output/printable.js';
import { count, countOf } from '../../output/numbers.js';

/** A comparison in the terms of its kind, for `--json`. */
export function comparisonData(
  kind: AudienceKind,
  { users, fresh, changed, left, resent, unchanged, withheld }: Comparison,
): Record<string, number> {
  return kind === 'sync'
    ? { users, joined: fresh + changed, left, resent, unchanged, withheld }
    : { users, new: fresh, changed, resent, unchanged };
}

/** `999 users in the list (3 joined, 996 unchanged), 1 left`; zeros are left out. */
export function comparisonText(kind: AudienceKind, comparison: Comparison): string {
  const { users, fresh, changed, left, resent, unchanged } = comparison;
  const parts: [string, number][] =
    kind === 'sync'
      ? [['joined', fresh + changed]]
      : [
          ['new', fresh],
          ['changed', changed],
        ];
  parts.push(['unchanged', unchanged], ['retried after an earlier failure', resent]);
  const shown = parts.filter(([, number]) => number > 0);
  const list = shown.map(([what, number]) => `${count(number)} ${what}`).join(', ');
  const shares = list === '' ? '' : ` (${list})`;
  const gone = left > 0 ? `, ${count(left)} left` : '';
  return `${countOf(users, 'user')} in the list${shares}${gone}`;
}

/** For `--verbose`: duplicate lines. */
export function repeatedText({ repeated }: Comparison): string {
  return repeated === 1
    ? '1 line repeats an earlier line of its user; the user is sent once'
    : `${count(repeated)} lines repeat an earlier line of their user; each user is sent once`;
}

/** How many invalid lines are shown. */
const shownProblems = 5;

/** The problems of a list, and their effect on members who are not in it. */
export function listProblems(
  store: AudienceStore,
  staged: Staged,
  { withheld, rejected }: Comparison,
  file: string,
): string[] {
  const problems = store.problems(0, shownProblems, file);
  const lines = problems.map(
    ({ origin, message }) => `${printable(file)}:${origin.line}: rejected: ${printable(message)}`,
  );
  if (rejected > problems.length) lines.push(`${count(rejected)} lines are rejected in total`);
  if (staged.broken) lines.push(printable(staged.broken.message));
  if (withheld > 0) lines.push(withheldText(withheld));
  return lines;
}

/** Why members who are not in the list do not leave. */
export function withheldText(withheld: number): string {
  return `${count(withheld)} members are not in the readable part of the list; they stay until the whole list can be read`;
}
