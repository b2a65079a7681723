import { groupOf, type Check } from './check.js';
import { levelNames } from './report/words.js';

/** The reference of all checks in Markdown, a section for each group: scripts/check-reference.js writes it into docs/check.md. */
export function referenceOf(checks: readonly Check[]): string {
  const groups = [...new Set(checks.map(groupOf))];
  return groups
    .map((group) =>
      section(
        group,
        checks.filter((check) => groupOf(check) === group),
      ),
    )
    .join('\n\n');
}

function section(group: string, checks: readonly Check[]): string {
  return [`### ${group}`, table(checks), ...reasons(checks)].join('\n\n');
}

function table(checks: readonly Check[]): string {
  return [
    '| check | level | a good endpoint | what is sent | passes when |',
    '| --- | --- | --- | --- | --- |',
    ...checks.map((check) => `| ${cellsOf(check).join(' | ')} |`),
  ].join('\n');
}

function cellsOf(check: Check): string[] {
  const { id, title, sends, passes } = check;
  const cells = [levelText(check), lowerFirst(title), sends, passes];
  return [`\`${id}\``, ...cells.map(escapeCell)];
}

/** Levels that depend on the run are explained in the text of docs/check.md. */
const dependent: Readonly<Record<string, string>> = {
  'dup.effect': 'required with `--probe`, else information',
  'time.future': 'required; recommended for `stripe`, `twitch` and `convoy-advanced`',
};

function levelText({ id, level }: Check): string {
  if (typeof level === 'string') return levelNames[level];
  return dependent[id] ?? `${levelNames.must} or ${levelNames.should}`;
}

/** Why and how to fix it, once for all checks that share both. */
function reasons(checks: readonly Check[]): string[] {
  const shared = new Map<string, string[]>();
  for (const { id, why, fix } of checks) {
    const text = `${escapeText(why)} _Fix_: ${escapeText(fix)}`;
    shared.set(text, [...(shared.get(text) ?? []), `\`${id}\``]);
  }
  return [[...shared].map(([text, ids]) => `- ${ids.join(', ')}: ${text}`).join('\n')];
}

function lowerFirst(title: string): string {
  return title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

function escapeCell(text: string): string {
  return escapeText(text).replaceAll('|', '\\|');
}

/** Words of code in our own texts that Markdown would read as markup. */
function escapeText(text: string): string {
  return text.replace(/[<>*_]/g, '\\$&');
}
