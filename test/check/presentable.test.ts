import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { BodyEnd } from '../../src/check/exchange.js';
import { presentable } from '../../src/check/presentable.js';
import { sign } from '../../src/sign/x-signature.js';
import { startEndpoint } from './helpers/endpoint.js';
import { runSome, settingsFor } from './helpers/run-some.js';

describe('a response beside a result', () => {
  const request = { method: 'POST', url: 'http://127.0.0.1:1/', headers: [], isValid: true };

  /** The body as it is shown, of a response that says this of the secret `topsecret`. */
  function shown(text: string, bodyEnd: BodyEnd): string | undefined {
    const body = Buffer.from(text);
    const response = { status: 401, headers: [], interim: [], body, bodyEnd };
    const sent = { ...request, body: Buffer.from('{}') };
    const evidence = { checkId: 'sign.wrong', request: sent, response, durationMs: 1 };
    const result = { outcome: 'failed', message: 'accepted', evidence } as const;
    const { evidence: masked } = presentable(result, settingsFor(request.url));
    return masked?.response?.body.toString();
  }

  it('has no beginning of a secret at its end where its body was cut', () => {
    expect(shown('expected topsecret', 'complete')).toBe('expected ***');
    for (const bodyEnd of ['too-large', 'endless', 'broken'] as const)
      expect(shown('expected topsec', bodyEnd)).toBe('expected ***');
    expect(shown('expected topsec', 'complete')).toBe('expected topsec');
  });
});

describe('the command beside a result', () => {
  it.each(['sign.raw-bytes.newline', 'sign.raw-bytes.space', 'sign.raw-bytes.escapes'])(
    'is one line that sends the same bytes from any shell: %s',
    async (id) => {
      const { url, arrived } = await startEndpoint();
      const [result] = await runSome(url, [id]);
      expect(result!.curl).not.toContain('\n');
      await promisify(execFile)('sh', ['-c', result!.curl!]);
      const again = arrived.at(-1)!;
      const same = arrived.filter(({ body }) => body.equals(again.body));
      const signatures = same.map(({ message }) => message.headers['x-signature']);
      expect(signatures).toEqual([sign(again.body, 'topsecret'), sign(again.body, 'topsecret')]);
    },
  );

  it('has no token of a handshake where it is passed on', async () => {
    const { url } = await startEndpoint();
    const handshake = { vendor: 'meta', token: 'tok&en 1' } as const;
    const [result] = await runSome(url, ['handshake.meta'], { handshake });
    expect(result!.curl).toContain('tok%26en');
    expect(result!.sharedCurl).toMatch(/hub\.verify_token=\*\*\*/);
  });
});
