import { homedir } from 'node:os';
import { systemClock } from '../../clock.js';
import { findConfig } from '../../config/find.js';
import { describeResult } from '../../delivery/describe.js';
import type { Outcome } from '../../delivery/outcome.js';
import { exitCodes, UsageError } from '../../errors.js';
import { suggestion } from '../../nearest.js';
import { msText } from '../../output/numbers.js';
import { firstLineOf } from '../../output/response-text.js';
import { colors } from '../../output/text.js';
import { quoted } from '../../quoted.js';
import { alertOf } from '../../serve/alerts/alert.js';
import { AlertSender } from '../../serve/alerts/sender.js';
import { readRouting } from '../../serve/routing-file.js';
import type { Destination } from '../../serve/types.js';
import type { Io } from '../shared/command.js';
import { print, say } from '../shared/output.js';
import type { ServeFlags } from './command.js';

/**
 * Sends one alert of a destination, once, and says what came of it: exit 0 or 1. The service need not run.
 *
 * @param name true: of the first destination that has alerts
 * @throws UsageError for a mistake in the configuration, and a destination without alerts
 */
export async function testAlert(name: string | true, flags: ServeFlags, io: Io): Promise<void> {
  const file = await findConfig({ path: flags.config, cwd: io.cwd, home: homedir(), env: io.env });
  const { destinations } = await readRouting(file, io.env);
  const alerted = destinations.filter(({ alerts }) => alerts);
  const destination = destinationNamed(name, { destinations, alerted, file });
  const others = alerted.filter((one) => one !== destination).map((one) => one.name);
  if (name === true && others.length > 0 && !flags.quiet) {
    say(
      io,
      `testing the alerts of ${destination.name}; name one for another: ${others.join(', ')}`,
    );
  }
  const sender = new AlertSender({ clock: systemClock, delivery: {}, retries: false });
  const since = systemClock.now();
  const reason = 'evfwd serve --test-alert was run';
  const alert = alertOf(destination, { kind: 'test', since, reason, counts: {} });
  const outcome = await sender.send(destination, alert);
  await report(destination, outcome, flags, io);
}

interface Known {
  readonly destinations: readonly Destination[];
  readonly alerted: readonly Destination[];
  readonly file: string;
}

function destinationNamed(name: string | true, known: Known): Destination {
  const { destinations, alerted, file } = known;
  if (alerted.length === 0) {
    throw new UsageError(
      `--test-alert: no destination in ${file} has alerts; add alerts: { url: … } to one`,
    );
  }
  if (name === true) return alerted[0]!;
  const found = destinations.find((one) => one.name === name);
  const names = destinations.map((one) => one.name);
  if (!found) {
    throw new UsageError(
      `--test-alert: unknown destination ${quoted(name, 'with that name')}; ${suggestion(name, names)}`,
    );
  }
  if (found.alerts) return found;
  throw new UsageError(
    `--test-alert: the destination ${name} has no alerts; add alerts: { url: … } to it in ${file}`,
  );
}

async function report(
  { name: destination }: Destination,
  { verdict, attempts }: Outcome,
  { json, color }: ServeFlags,
  io: Io,
): Promise<void> {
  const isDelivered = verdict === 'delivered';
  io.exit(isDelivered ? exitCodes.ok : exitCodes.negative);
  const result = attempts.at(-1)!;
  const { url, status, error, durationMs } = result;
  if (json) {
    const about = { type: 'test-alert', destination, delivered: isDelivered, url, status, error };
    print(io, JSON.stringify({ ...about, durationMs: Math.round(durationMs) }));
    return;
  }
  const paint = await colors(io.stdout, io.env, color);
  const mark = isDelivered ? paint.green('delivered') : paint.red('not delivered');
  const line = firstLineOf(result.response);
  const why = isDelivered ? '' : `  ${describeResult(result)}${line ? `: ${line}` : ''}`;
  print(io, `${mark}  ${url}${status === null ? '' : `  ${status}`}  ${msText(durationMs)}${why}`);
}
