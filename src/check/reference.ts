import { presets } from '../sign/schemes/index.js';
import type { Check } from './check.js';
import { allChecks } from './groups/index.js';
import type { Level } from './options.js';
import { levelNames } from './report/words.js';
import { senderOf } from './senders/index.js';
import { isFormKind, type KnownSender } from './senders/sender.js';
import { defaultDeadlineMs } from './settings.js';

/**
 * What docs/checks.md has of the senders and the checks, in Markdown, by the mark where it stands:
 * scripts/check-reference.js writes it there.
 */
export function reference(): Readonly<Record<string, string>> {
  const senders = groupedSenders();
  const checks = allChecks(senderOf(undefined));
  return {
    senders: senderTable(senders),
    checks: levels
      .map((level) =>
        section(
          level,
          checks.filter((one) => sectionOf(one) === level),
        ),
      )
      .join('\n\n'),
  };
}

/** Senders that differ in nothing but their schemes and the location of the id are one row. */
function groupedSenders(): readonly (readonly KnownSender[])[] {
  const senders = [...presets.values()].map((scheme) => ({
    ...senderOf(scheme),
    schemes: [scheme.name],
  }));
  return [
    ...groupedBy(senders, ({ deadlineMs, note, mark }) => `${deadlineMs} ${note} ${mark}`),
  ].map(([, own]) => own);
}

function senderTable(groups: readonly (readonly KnownSender[])[]): string {
  const rows = groups.map((senders) => {
    const { kinds, note, mark, deadlineMs = defaultDeadlineMs } = senders[0]!;
    const names = kinds.map((kind) => code(kind.name) + (isFormKind(kind) ? ' (a form)' : ''));
    const ids = unique(
      senders.map(({ id }) => code('header' in id! ? id.header : id!.path.join('.'))),
    );
    return [
      schemesOf(senders),
      [names.join(', '), ...(note === undefined ? [] : [note])].join('; '),
      ids,
      `${deadlineMs / 1_000} s`,
      code(mark),
    ];
  });
  return table(['scheme', '`accept.*`', 'id', 'late after', 'skip if'], rows);
}

function schemesOf(senders: readonly KnownSender[]): string {
  return unique(senders.flatMap(({ schemes }) => schemes.map(code)));
}

function unique(texts: readonly string[]): string {
  return [...new Set(texts)].join(', ');
}

function code(text: string): string {
  return `\`${text}\``;
}

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const levels: readonly Level[] = ['must', 'should', 'info'];

/** A check whose level depends on the run stands with the highest one that it can have. */
function sectionOf({ level }: Check): Level {
  return typeof level === 'string' ? level : 'must';
}

function section(level: Level, checks: readonly Check[]): string {
  const rows = [...groupedBy(checks, rowOf).values()].map(cellsOf);
  const head = ['check', 'what is sent', 'passes when'];
  return [`### ${capitalized(levelNames[level])}`, table(head, rows)].join('\n\n');
}

/** The kinds of events are one row: they differ in nothing but their names. */
function rowOf({ id, why, stage }: Check): string {
  return stage === 'accept' ? why : id;
}

function cellsOf(checks: readonly Check[]): string[] {
  const [{ sends, passes }] = checks as [Check];
  const shown = checks.length === 1 ? sends : 'a valid event of this kind';
  return [checks.map(nameOf).join(', '), ...[shown, passes].map(escapeCell)];
}

function nameOf({ id, level, levelText, snippet }: Check): string {
  const name = code(id);
  const linked = snippet === undefined ? name : `[${name}](../fixes/snippets/${snippet}.md)`;
  if (typeof level === 'string') return linked;
  return `${linked} (${escapeCell(levelText ?? `${levelNames.must} or ${levelNames.should}`)})`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function escapeCell(text: string): string {
  return escapeText(text).replaceAll('|', '\\|');
}

/** Words of code in our own texts that Markdown would read as markup. */
function escapeText(text: string): string {
  return text.replace(/[<>*_]/g, '\\$&');
}
