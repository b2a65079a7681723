import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Input } from '../../input/input.js';
import type { ItemKind } from '../../ledger/item-kind.js';
import { openRunState, shortName, type RunState } from '../shared/run-state.js';
import { lastCaptureCheck, type Captures } from './captures.js';
import type { ReplayFlags } from './flags.js';
import type { WebhookSettings } from './prepare.js';

/**
 * Opens the state of a replay, identified by its files, its URLs and the options that select what is sent.
 * @throws as `openRunState`
 */
export function openReplayState(
  { inputs, hars }: Captures,
  settings: WebhookSettings,
  flags: ReplayFlags,
  items: ItemKind,
): Promise<RunState> {
  return openRunState({
    inputs,
    flags,
    name: stateName(inputs, settings, flags),
    checkLast: lastCaptureCheck(hars, items),
  });
}

/** A limit only bounds one run. */
function stateName(
  inputs: readonly Input[],
  settings: WebhookSettings,
  flags: ReplayFlags,
): string {
  const { since, until, methods, paths, status, compare } = flags;
  const known = {
    replay: inputs.map(({ name }) => resolve(name)),
    target: settings.endpoints.map(({ url }) => url),
    options: [since?.text, until?.text, methods, paths, status, compare],
  };
  const hash = createHash('sha256').update(JSON.stringify(known)).digest('hex');
  return `replay-${shortName(inputs)}-${hash.slice(0, 12)}`;
}
