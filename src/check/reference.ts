import { presets } from '../sign/schemes/index.js';
import type { Check } from './check.js';
import { allChecks } from './groups/index.js';
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
    marks: markTable(senders),
    checks: table(['check', 'level', 'what is sent', 'passes when'], checks.map(cellsOf)),
  };
}

/** Senders that differ in nothing but their schemes and the location of the id are one row. */
function groupedSenders(): readonly (readonly KnownSender[])[] {
  const senders = [...presets.values()].map((scheme) => ({
    ...senderOf(scheme),
    schemes: [scheme.name],
  }));
  return [
    ...groupedBy(senders, ({ deadlineMs, note, mark }) => `${deadlineMs} ${note} ${mark.text}`),
  ].map(([, own]) => own);
}

function senderTable(groups: readonly (readonly KnownSender[])[]): string {
  const rows = groups.map((senders) => {
    const { kinds, note, deadlineMs = defaultDeadlineMs } = senders[0]!;
    const names = kinds.map((kind) => code(kind.name) + (isFormKind(kind) ? ' (a form)' : ''));
    const ids = unique(
      senders.map(({ id }) => code('header' in id! ? id.header : id!.path.join('.'))),
    );
    return [
      schemesOf(senders),
      [names.join(', '), ...(note === undefined ? [] : [note])].join('; '),
      ids,
      `${deadlineMs / 1_000} s`,
    ];
  });
  return table(['scheme', '`accept.*`', 'where the id stands', 'late after'], rows);
}

function markTable(groups: readonly (readonly KnownSender[])[]): string {
  const rows = [...groupedBy(groups.flat(), ({ mark }) => mark.text)].map(([text, senders]) => [
    schemesOf(senders),
    text,
    code(senders[0]!.mark.filter),
  ]);
  return table(['scheme', 'a mark of every event', 'the condition in JavaScript'], rows);
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

function cellsOf(check: Check): string[] {
  const { id, sends, passes, snippet } = check;
  const name = code(id);
  const linked = snippet === undefined ? name : `[${name}](../fixes/snippets/${snippet}.md)`;
  return [linked, ...[levelText(check), sends, passes].map(escapeCell)];
}

function levelText({ level, levelText: text }: Check): string {
  if (typeof level === 'string') return levelNames[level];
  return text ?? `${levelNames.must} or ${levelNames.should}`;
}

function escapeCell(text: string): string {
  return escapeText(text).replaceAll('|', '\\|');
}

/** Words of code in our own texts that Markdown would read as markup. */
function escapeText(text: string): string {
  return text.replace(/[<>*_]/g, '\\$&');
}
