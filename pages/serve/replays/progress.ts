import type { ReplayRow } from '../../../src/api/serve.js';
import { countOf, countText, timestampText } from '../../shared/text/format.js';

/** How much of a replay is behind, 0 to 100, rounded down; undefined until its events are counted. */
export function percentOf({ sent, skipped, total }: ReplayRow): number | undefined {
  if (total === null) return undefined;
  return total === 0 ? 100 : Math.min(100, Math.floor((100 * (sent + skipped)) / total));
}

/** `1,234 of 5,000 sent, 24%`; `5,000 sent, 20 skipped` of one that has finished. */
export function progressText(replay: ReplayRow): string {
  const { state, sent, skipped, total } = replay;
  const isRunning = state === 'running';
  if (isRunning && total === null) return 'counting the events';
  const isWhole = total === null || state === 'finished';
  const parts = [
    isWhole ? `${countText(sent)} sent` : `${countText(sent)} of ${countText(total)} sent`,
  ];
  if (isRunning) parts.push(`${percentOf(replay)}%`);
  if (skipped > 0) parts.push(`${countText(skipped)} skipped`);
  return parts.join(', ');
}

/**
 * What was asked for, in a few words: `from 09:00:00 · only delivered · 100/s`.
 *
 * @param now in milliseconds
 */
export function selectionText({ selection }: ReplayRow, now: number): string {
  const { since, until, types, events, users, where, state, rate } = selection;
  const time = (iso: string): string => timestampText(iso, now).replace(/\.\d+$/, '');
  return [
    since === undefined ? [] : `from ${time(since)}`,
    until === undefined ? [] : `before ${time(until)}`,
    state === 'delivered' ? 'only delivered' : [],
    state === 'dead' ? 'only dead letters' : [],
    types?.join(', ') ?? [],
    events?.join(', ') ?? [],
    users ? countOf(users.length, 'user') : [],
    where?.join(', ') ?? [],
    rate === undefined ? 'no rate limit' : rateText(rate),
  ]
    .flat()
    .join(' · ');
}

/** A rate of the service is one of a second, with all its digits. */
function rateText(rate: string): string {
  const perSecond = Number.parseFloat(rate);
  if (perSecond >= 1) return `${countText(Math.round(perSecond * 10) / 10)}/s`;
  return `${Math.round(perSecond * 3600 * 10) / 10}/h`;
}
