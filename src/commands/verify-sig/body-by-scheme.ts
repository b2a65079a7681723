import { printable } from '../../output/printable.js';
import { openInput } from '../../sign/body.js';
import { givenHeaders } from '../../sign/given-signature.js';
import { heldBody } from '../../sign/held-body.js';
import { requestVerifier, type RequestVerdict } from '../../sign/request-verifier.js';
import type { Io } from '../shared/command.js';
import { say } from '../shared/flags.js';
import { detail, requireSecrets, secretSource } from '../shared/secret-flags.js';
import { emptyBodyHint, type BodyResult } from './body.js';
import type { VerifyFlags } from './command.js';
import { judgingOf } from './judging.js';

/**
 * Judges one body with the headers of the flags, by any scheme. The body is held in memory.
 *
 * @throws UsageError as `checkOne` does, for an unknown scheme and a secret that is not in its form
 */
export async function checkByScheme(
  path: string | undefined,
  flags: VerifyFlags,
  io: Io,
): Promise<BodyResult> {
  const { scheme, toleranceMs, atMs, url, method, own } = await judgingOf(flags, io);
  const headers = givenHeaders(flags, scheme);
  const secrets = requireSecrets(flags, io);
  const where = secretSource(flags);
  const verifier = requestVerifier({ scheme, secrets, where, toleranceMs, own });
  if (!flags.quiet) for (const warning of verifier.warnings) say(io, `warning: ${warning}`);
  const input = openInput(path, io, printable);
  const request = { headers, body: await heldBody(input), url, method };
  const nowMs = atMs ?? Date.now();
  const verdict = verifier.verify(request, nowMs);
  const by = verdict.scheme === null ? '' : ` by ${verdict.scheme}`;
  detail(`${input.name}: ${request.body.length} bytes${by}`, flags, io);
  if (verdict.valid || request.body.length === 0 || !flags.explain) {
    return resultOf(verdict, request.body.length === 0 ? input.name : undefined);
  }
  const { explainVerdict } = await import('../../sign/explain/explain-verdict.js');
  const { message } = explainVerdict(request, verdict, { secrets, own, nowMs });
  return { ...resultOf(verdict), hint: message };
}

/** @param emptyName the name of a body without bytes */
function resultOf(verdict: RequestVerdict, emptyName?: string): BodyResult {
  const { valid, scheme, reason, hint = '' } = verdict;
  if (valid || reason === undefined) return { valid, scheme };
  const isEmpty = emptyName !== undefined && reason === 'mismatch';
  return { valid, scheme, reason, hint: isEmpty ? emptyBodyHint(emptyName) : hint };
}
