import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sign } from '../../src/sign/x-signature.js';
import { startEndpoint } from './helpers/endpoint.js';
import { runSome } from './helpers/run-some.js';

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
