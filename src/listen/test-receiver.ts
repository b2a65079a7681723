import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.js';
import { checkUrl } from '../http/url.js';
import { listOfSecrets } from '../sign/given-secrets.js';
import { presets, schemeNamed } from '../sign/schemes/index.js';
import type { Scheme } from '../sign/schemes/scheme.js';
import { whyUnreadable } from '../sign/unreadable.js';
import { urlOf } from '../web/address.js';
import { checkFaults } from './check-receiver-options.js';
import { Faults } from './fault-plan.js';
import { Journal } from './journal.js';
import { maxKept } from './limits.js';
import { receivedCaptureOf } from './received-capture.js';
import { RequestStore } from './request-store.js';
import type { Handler } from './receiver.js';
import { parseRespondRule } from '../receive/rules/respond-rule.js';
import { pathProblem } from '../receive/rules/path-pattern.js';
import { parseVerifyRule } from '../receive/rules/verify-rule.js';
import { startReceiver } from './start-receiver.js';
import { Verification, type VerifyRule } from '../receive/verification.js';
import { Waiting } from './waiting.js';
import type { PathVerification, ReceiverOptions, WebhookReceiver } from './webhook-receiver.js';

/** Starts the receiver of `createReceiver`. @throws UsageError as there */
export async function startTestReceiver(options: ReceiverOptions): Promise<WebhookReceiver> {
  const { host = '127.0.0.1', port = 0, seed = randomInt(2 ** 32) } = options;
  const faults = new Faults({ faults: options.faults ?? [], seed });
  const journal = new Journal(new RequestStore({ requests: maxKept, bytes: testKeptBytes }));
  const waiting = new Waiting(journal);
  const respond = (options.respond ?? []).map((text) => parseRespondRule(text, read));
  const started = await startReceiver(
    {
      ...{ host, port, faults, journal, respond },
      verification: verificationOf(options),
      isEnforced: options.enforce,
      isDeduped: options.dedupe,
      forward: forwardOf(options),
    },
    notFound,
  );
  return {
    url: urlOf(host, started.port),
    get requests() {
      return journal.kept.all().map(receivedCaptureOf);
    },
    waitFor: (match, wait) => waiting.for(match, wait),
    setFaults: (texts) => {
      checkFaults(texts);
      faults.replace({ faults: texts, seed });
    },
    reset: () => journal.reset(),
    close: async () => {
      waiting.close();
      await started.close();
    },
  };
}

/** More than `listen` keeps, since a test looks at what it has sent. */
const testKeptBytes = 64 * 1024 * 1024;

/** The page of `listen` is not part of it. */
const notFound: Handler = (request, response) => {
  request.resume();
  response.writeHead(404).end();
};

function verificationOf({ scheme: name, secret, verify = [], enforce }: ReceiverOptions) {
  const scheme = name === undefined ? presets.get('x-signature')! : namedScheme(name, 'scheme');
  const rules = verify.map((rule) =>
    typeof rule === 'string' ? textRule(rule, scheme) : objectRule(rule, scheme),
  );
  if (secret !== undefined) rules.push({ scheme, secrets: listOfSecrets(secret) });
  if (enforce && rules.length === 0) {
    throw new UsageError('enforce needs a secret; pass secret or verify', 'no_secret');
  }
  const unverified = scheme === 'auto' ? undefined : scheme;
  return new Verification(rules, { unverified, judgesFuture: enforce });
}

function textRule(text: string, usual: Scheme | 'auto'): VerifyRule {
  const { path, scheme, secrets } = parseVerifyRule(text);
  return {
    path,
    scheme: scheme === undefined ? usual : namedScheme(scheme, 'verify'),
    secrets: secrets.map((one) => ('file' in one ? secretIn(one.file) : one.text)),
  };
}

function objectRule(rule: PathVerification, usual: Scheme | 'auto'): VerifyRule {
  const problem = pathProblem(rule.path);
  if (problem !== undefined) throw new UsageError(`verify: ${problem}`, 'invalid_verify_rule');
  const scheme = rule.scheme === undefined ? usual : namedScheme(rule.scheme, 'verify');
  return { path: rule.path, scheme, secrets: listOfSecrets(rule.secret) };
}

function namedScheme(name: string, where: string): Scheme | 'auto' {
  return name === 'auto' ? name : schemeNamed(name, [], where);
}

function forwardOf({ forward: url, forwardTimeoutMs: timeoutMs }: ReceiverOptions) {
  if (url === undefined) return undefined;
  checkUrl(url, 'forward');
  return { url, ...(timeoutMs !== undefined && { timeoutMs }) };
}

/** One trailing newline is not part of it, as in `--secret-file`. */
function secretIn(path: string): string {
  return read(path)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const message = `a file of verify or respond cannot be read: ${whyUnreadable(error)}; use the path of a readable file`;
    throw new UsageError(message, 'unreadable_file', { cause: error });
  }
}
