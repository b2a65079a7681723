import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handlerCode } from '../../../../src/check/fixes/handler.js';
import { batched } from '../../../../src/check/senders/batched.js';
import { defaultBatch } from '../../../../src/webhook/batch-settings.js';
import { fixInputOf } from '../../../../src/check/fixes/input.js';
import { senderOf } from '../../../../src/check/senders/index.js';
import { checksFor } from '../../../../src/check/groups/index.js';
import { type Framework, frameworks, languageOf } from '../../../../src/check/fixes/frameworks.js';
import type { CheckReport } from '../../../../src/check/result.js';
import { runChecks } from '../../../../src/check/run.js';
import { selectChecks, type Selection } from '../../../../src/check/select.js';
import type { CheckSettings } from '../../../../src/check/settings.js';
import { findPython } from '../../../helpers/python.js';
import { seed } from '../../../helpers/seed.js';
import { hasTool, type Tool } from '../../../helpers/tools.js';
import { against } from '../../helpers/planted.js';
import { asymmetricCases, sharedCases, type Case } from './cases.js';
import { writeProgram, type Pasted } from './programs.js';
import { startReceiver, type ReceiverProcess } from './receiver-process.js';
import { spawnSync } from '../../../helpers/run-sync.js';

const tools: Readonly<Partial<Record<Framework, Tool>>> = { Go: 'go', Rails: 'ruby', Laravel: 'php' };

function canRun(framework: Framework): boolean {
  const tool = tools[framework];
  if (languageOf(framework) === 'python') return findPython() !== undefined;
  return tool === undefined || hasTool(tool);
}

interface Options {
  /** Checks that judge the server that the test uses, not the handler. */
  readonly skip?: readonly string[];
}

/** Each is sent with the signature of a scheme. */
const handshakes = [
  ['slack', 'slack'],
  ['twitch', 'twitch'],
  ['zoom', 'xsignature'],
] as const;

/**
 * A third of the schemes, another one in the next framework: all of them take minutes in each.
 * `EVFWD_TEST_SEED` 0, 1 and 2 together try all.
 */
function thirdOf(cases: readonly Case[], framework: Framework): readonly Case[] {
  const turn = seed + frameworks.indexOf(framework);
  return cases.filter((_, index) => (index + turn) % 3 === 0);
}

/** Serves the fixes of schemes in a framework, and checks them as `evfwd check` does. */
export function checkFixesOf(framework: Framework, { skip = [] }: Options = {}): void {
  describe.runIf(canRun(framework))(`the fix for ${framework}`, () => {
    describe.each([
      ['shared secrets', sharedCases],
      ['keys of ed25519', asymmetricCases],
    ])('with %s', (_, cases) => {
      const folder = mkdtempSync(join(tmpdir(), 'evfwd-fixes-'));
      const receivers: ReceiverProcess[] = [];
      const urlOf = (name: string): string => receivers[0]!.urlOf(name);

      beforeAll(async () => {
        receivers.push(await startIn(folder, framework, cases));
      }, 300_000);

      afterAll(async () => {
        await receivers.pop()?.stop();
        rmSync(folder, { recursive: true, force: true });
      });

      it.concurrent.each(thirdOf(cases, framework))('of $name is right', async (one) => {
        const report = await checkAt(receivers[0]!, one, { skip: ['http.idle', ...skip] });
        expect(against(report)).toEqual([]);
        expect(report.results.filter(({ isInconclusive }) => isInconclusive)).toEqual([]);
        expect(report.summary.score).toBe(100);
      });

      it.each(cases === sharedCases ? handshakes : [])(
        'answers the handshake of %s',
        async (vendor, scheme) => {
          const one = cases.find(({ name }) => name === scheme)!;
          const settings = {
            ...settingsOf(one, urlOf(`with${vendor}`)),
            handshake: { vendor },
          };
          const report = await run(settings, { only: ['handshake', 'sign', 'accept'] });
          expect(against(report)).toEqual([]);
          expect(report.results.map(({ check }) => check.id)).toContain(`handshake.${vendor}`);
        },
      );

      it('is right where the id stands in a list', async () => {
        const [one] = cases as [Case];
        const report = await run(settingsOf(one, urlOf('inlist')), { only: ['accept'] });
        expect(against(report)).toEqual([]);
      });

      it('is right for arrays of events', async () => {
        const [one] = cases as [Case];
        const settings = { ...settingsOf(one, urlOf('batch')), ...inBatches };
        const report = await run(settings, { only: ['accept', 'sign', 'batch', 'dup', 'refuse'] });
        expect(against(report)).toEqual([]);
        expect(report.results.map(({ check }) => check.id)).toContain('batch.full');
      });

      it('is found out without its comparison', async () => {
        const [one] = cases as [Case];
        const report = await checkAt(receivers[0]!, { ...one, name: 'mutant' }, { only: ['sign'] });
        expect(against(report)).toContain('fail sign.wrong-key');
      });
    });
  });
}

const inBatches = { sender: batched(undefined), batch: defaultBatch };

async function startIn(
  folder: string,
  framework: Framework,
  cases: readonly Case[],
): Promise<ReceiverProcess> {
  const pasted = cases.map((one): Pasted => {
    const code = handlerCode(framework, fixInputOf(settingsOf(one, 'http://localhost/')));
    return { name: one.name, code: counted(code, markOf(one.name)) };
  });
  const [first] = cases as [Case];
  const input = fixInputOf(settingsOf(first, 'http://localhost/'));
  const inList = handlerCode(framework, { ...input, id: { path: ['0', 'id'] } });
  const batch = handlerCode(framework, fixInputOf({ ...settingsOf(first, 'http://localhost/'), ...inBatches }));
  const mutant = { name: 'mutant', code: withoutComparison(pasted[0]!.code) };
  const program = writeProgram(framework, folder, [...pasted, ...withHandshakes(framework, cases), { name: 'inlist', code: inList }, { name: 'batch', code: batch }, mutant]);
  if (framework === 'Go') buildGo(folder);
  const [secret, old = ''] = cases[0]!.received;
  const env = { WEBHOOK_SECRET: secret!, WEBHOOK_SECRET_OLD: old, PYTHONUNBUFFERED: '1' };
  return startReceiver({ ...program, env });
}

function buildGo(folder: string): void {
  const { status, stderr, error } = spawnSync('go', ['build', '-o', 'receiver', '.'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 280_000,
  });
  if (status !== 0) throw error ?? new Error(stderr);
}

function withHandshakes(framework: Framework, cases: readonly Case[]): Pasted[] {
  if (cases !== sharedCases) return [];
  return handshakes.map(([vendor, scheme]) => {
    const one = cases.find(({ name }) => name === scheme)!;
    const settings = { ...settingsOf(one, 'http://localhost/'), handshake: { vendor } };
    return { name: `with${vendor}`, code: handlerCode(framework, fixInputOf(settings)) };
  });
}

/** What the handler prints, in each language. */
const prints =
  /console\.log\(event\)|print\(event\)|fmt\.Println\(string\(event\)\)|puts event\.to_json|'webhook'(?=, \[)/;

/** The handler prints a mark of its own, so that its effects can be counted. */
function counted(code: string, mark: string): string {
  const changed = code.replace(prints, (print) => {
    if (print === "'webhook'") return `'${mark}'`;
    return print.replace(/event\.to_json|string\(event\)|event/, () => `"${mark}"`);
  });
  expect(changed).not.toBe(code);
  return changed;
}

function markOf(name: string): string {
  return `handled ${name};`;
}

/** What compares, in each language. */
const comparisons =
  /isEqual\(one, [^)]*\)(?=\))|hmac\.compare_digest\(.*\)(?= for)|hmac\.Equal\(.*\)(?= \{)|ActiveSupport::SecurityUtils\.secure_compare\(.*\)(?= \})|hash_equals\(.*\)(?=\) \{)|(?<=return )verify\(.*\)(?=;)|key\.verify\(.*\)|ed25519\.Verify\(.*\)(?= \{)|OpenSSL::PKey\.read.*$|sodium_crypto_sign_verify_detached\(.*\)(?=;)/m;

/** Its result is not used. */
function withoutComparison(code: string): string {
  const changed = code.replace(comparisons, (comparison) => {
    if (comparison.startsWith('key.verify')) return 'pass';
    return `(${comparison} ${comparison.startsWith('hmac.compare') ? 'or True' : '|| true'})`;
  });
  expect(changed).not.toBe(code);
  return changed;
}

async function checkAt(
  receiver: ReceiverProcess,
  one: Case,
  selection: Selection,
): Promise<CheckReport> {
  const { name } = one;
  const settings = {
    ...settingsOf(one, receiver.urlOf(name)),
    probe: () => Promise.resolve(receiver.count(markOf(name))),
  };
  return run(settings, selection);
}

function run(settings: CheckSettings, selection: Selection): Promise<CheckReport> {
  const checks = selectChecks(checksFor(settings), selection, settings.sender.usual.name);
  return runChecks({ checks, settings, signal: new AbortController().signal });
}

function settingsOf({ scheme, secrets }: Case, url: string): CheckSettings {
  return {
    url: new URL(url),
    headers: [],
    signing: { scheme, secrets },
    sender: senderOf(scheme),
    ca: [],
    deadlineMs: 5_000,
    rate: 1_000,
    isStrict: false,
  };
}
