import { count, countOf } from '../../../output/numbers.js';
import { printable } from '../../../output/printable.js';
import { colors, type Paint } from '../../../output/text.js';
import { print } from '../../shared/output.js';
import { ageText } from '../age.js';
import { remark, type FolderContext } from '../context.js';
import { findRuns, type FolderRun, type FolderState } from './find-runs.js';
import { statusColor } from '../status.js';
import type { Progress } from './progress.js';
import { continueCommand, deadLetterCommand } from './next-commands.js';

/** All runs of a folder, the last changed first. */
export async function list(context: FolderContext): Promise<number> {
  const { io, flags, folder } = context;
  const runs = await findRuns(folder);
  if (runs.length === 0) {
    const example = 'evfwd import history.ndjson --url https://example.com/hook';
    remark(context, `no runs in ${folder}, and no --store; start one with: ${example}`);
  } else if (flags.json) {
    print(io, runs.map((run) => JSON.stringify(runLine(run, folder))).join('\n'));
  } else {
    const paint = await colors(io.stdout, io.env, flags.color);
    print(io, runs.map((run) => textOf(run, folder, paint)).join('\n\n'));
  }
  return 0;
}

/** A run with `--json`. */
export function runLine(run: FolderRun, folder: string): object {
  const { id, state, changedAt, progress, deadLetters, reason } = run;
  const commands = [continueCommand(run, folder), deadLetterCommand(run, folder)];
  return {
    ...{ type: 'run', id, kind: progress?.kind ?? null, state },
    changedAt: new Date(changedAt).toISOString(),
    files: progress?.filesText ?? null,
    ...progress?.counts,
    deadLetters: deadLetters ?? null,
    reason: reason ?? null,
    next: commands.filter((command) => command !== undefined),
  };
}

function textOf(run: FolderRun, folder: string, paint: Paint): string {
  const { id, state, changedAt } = run;
  const ago = state === 'running' ? '' : ' ago';
  const when = `${stateTexts[state]} ${ageText(Date.now() - changedAt)}${ago}`;
  const title = `${paint.bold(printable(id))}  ${statusColor(state, paint)(when)}`;
  return [title, ...detailsOf(run, folder).map((line) => `  ${printable(line)}`)].join('\n');
}

const stateTexts: Readonly<Record<FolderState, string>> = {
  running: 'running for',
  interrupted: 'interrupted',
  finished: 'finished',
  unreadable: 'unreadable, last changed',
  none: 'dead letters only, last changed',
};

function countsText({ counts, kind }: Progress, state: FolderState): string {
  const unread = state === 'interrupted' && kind !== 'audience' ? ' and what is unread' : '';
  return Object.entries(counts)
    .filter(([name, n]) => n > 0 || shown.includes(name) || (name === 'pending' && unread !== ''))
    .map(([name, n]) => `${count(n)} ${name}${name === 'pending' ? unread : ''}`)
    .join(', ');
}

/** The others are left out if they are 0. */
const shown = ['delivered', 'failed'];

function detailsOf(run: FolderRun, folder: string): string[] {
  const { state, progress, deadLetters, reason } = run;
  if (reason !== undefined) return [reason];
  const files = progress?.filesText ? ` of ${progress.filesText}` : '';
  const target = deadLetters?.url ? ` to ${deadLetters.url}` : '';
  const lines = progress ? [`${progress.kind}${files}${target}`, countsText(progress, state)] : [];
  if (state === 'running') return lines;
  const next = continueCommand(run, folder);
  if (next !== undefined) lines.push('continue it, with the same target and options:', `  ${next}`);
  else if (state === 'interrupted') lines.push('run the same command again to continue it');
  return [...lines, ...deadLetterLines(run, folder)];
}

function deadLetterLines(run: FolderRun, folder: string): string[] {
  const { progress, deadLetters } = run;
  const { rejected = 0, failed = 0 } = progress?.counts ?? {};
  if (!deadLetters) {
    const isMissing = rejected + failed > 0 && progress?.kind !== 'audience';
    return isMissing ? ['its dead letters are not here: see the file of its --dead-letter'] : [];
  }
  const letters = countOf(deadLetters.lines, 'dead letter');
  const command = deadLetterCommand(run, folder);
  if (command !== undefined)
    return [`${letters}; send again, with the same target and options:`, `  ${command}`];
  const next = deadLetters.isSent
    ? ', sent again by a later run'
    : '; the next run of the same command sends them';
  return [`${letters} in ${deadLetters.file}${next}`];
}
