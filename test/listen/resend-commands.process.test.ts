import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resendCommands } from '../../src/listen/resend-commands.js';
import { Verification } from '../../src/receive/verification.js';
import { presets } from '../../src/sign/schemes/index.js';
import { listening, raw, received, verifying } from './listening.js';
import { signed, standardSecret } from './signed.js';

const run = promisify(execFile);
const url = 'http://127.0.0.1:4400';
const track = '{"type":"track","event":"It\'s","userId":"u","properties":{"n":1.0}}';

describe('as curl', () => {
  it('is the request with its headers', () => {
    const headers = [
      'Host',
      'a',
      'User-Agent',
      'x/1',
      'X-Empty',
      '',
      'X-Odd',
      "\xe9'",
      'Content-Length',
      '9',
    ];
    expect(resendCommands(received({ text: track, headers }), url, verifying(undefined)).curl).toBe(
      String.raw`curl -g -X POST 'http://127.0.0.1:4400/hook' -H 'User-Agent: x/1' -H 'X-Empty;' -H $'X-Odd: \xe9\'' -H 'Accept:' -H 'Content-Type:' --data-binary '{"type":"track","event":"It'\''s","userId":"u","properties":{"n":1.0}}'`,
    );
  });

  it.each([
    ['POST', '/hook?a=[1]&b={2}', track],
    ['PUT', '/%2e%2e/', 'two\nlines\n'],
    ['POST', '/a/../b', '@/etc/passwd'],
    ['POST', '/#fragment', Buffer.from([0, 255, 10, 27])],
    ['POST', "/it's", '\u001b[201~\nrm -rf /\n'],
    ['POST', '/', gzipSync(track)],
    ['DELETE', '/x', ''],
    ['GET', '/x', ''],
    ['HEAD', '/x', ''],
    ['OPTIONS', '*', ''],
    ['POST', '/x', '"\u202e'],
  ])('sends the same again: %s %s', async (method, path, body) => {
    const listener = await listening();
    const text = Buffer.from(body);
    const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nX-A: it's\r\nX-Signature: abc\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n`;
    await raw(listener.port, Buffer.from(head, 'latin1'), text);
    const [first] = listener.got();
    const { curl } = resendCommands(first!, listener.url, verifying(undefined));
    expect(curl).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    await run('bash', ['-c', `${curl} -s --max-time 10`]);
    const [, again] = listener.got();
    expect(again).toMatchObject({ method, path, body: first!.body });
    const own = (headers: readonly string[]) => {
      const kept: string[] = [];
      for (let i = 0; i < headers.length; i += 2) {
        const name = headers[i]!.toLowerCase();
        if (!['host', 'content-length', 'connection'].includes(name))
          kept.push(name, headers[i + 1]!);
      }
      return kept;
    };
    expect(own(again!.headers)).toEqual(own(first!.headers));
  });

  it('is a comment for a body that was not kept', () => {
    const { curl, evfwd } = resendCommands(
      received({ isTooLarge: true }),
      url,
      verifying(undefined),
    );
    expect(curl).toMatch(/^# .* was not kept$/);
    expect(evfwd).toBeNull();
  });

  it('never contains control characters', () => {
    const body = fc.uint8Array().map((array) => Buffer.from(array));
    const text = fc.string({ unit: 'binary' }).map((value) => Buffer.from(value));
    fc.assert(
      fc.property(fc.oneof(body, text), (bytes) => {
        const { curl, evfwd } = resendCommands(
          received({ body: bytes }),
          url,
          verifying(undefined),
        );
        expect(`${curl}${evfwd}`).not.toMatch(/(?!\n)\p{Cc}/u);
      }),
    );
  });
});

describe('as evfwd', () => {
  const evfwd = (text: string | Buffer, path = '/hook') =>
    resendCommands(received({ body: Buffer.from(text), path }), url, verifying(undefined)).evfwd;

  it.each([
    [
      track,
      '/hook',
      `evfwd send --data '${track.replace("'", String.raw`'\''`)}' --url '${url}/hook'`,
    ],
    [
      gzipSync('{"type":"page","userId":"u"}'),
      '/',
      `evfwd send --data '{"type":"page","userId":"u"}' --url '${url}/'`,
    ],
    [
      '{"type":"alias","Previous ID":1.0,"User ID":"u"}',
      '/hook',
      `evfwd send --data '{"type":"alias","previousId":1.0,"userId":"u"}' --url '${url}/hook'`,
    ],
    ['{"userId":"u"}', '/v1/i', `evfwd send identify --data '{"userId":"u"}' --url '${url}/v1/i'`],
    [
      '{"batch":[{"type":"page","userId":1},\n{"type":"page",\n"userId":2}]}',
      '/v1/batch',
      `printf %s '{"type":"page","userId":1}\n{"type":"page", "userId":2}\n' | evfwd import - --write-key "$EVFWD_WRITE_KEY" --endpoint '${url}'`,
    ],
    [
      '[{"type":"page","userId":1},\n{"type":"alias","Previous ID":1.0,"User ID":"u"}]',
      '/hook',
      `printf %s '{"type":"page","userId":1}\n{"type":"alias","previousId":1.0,"userId":"u"}\n' | evfwd import - --url '${url}/hook'`,
    ],
    ['[{"type":"page","userId":1},{"type":"page"}]', '/hook', null],
    ['no event', '/hook', null],
    ['{"type":"odd","userId":"u"}', '/hook', null],
    ['{"type":"track","userId":"u"}', '/hook', null],
    ['{}', '/v1/track', null],
    ['{"batch":[{"type":"page","userId":1},{"type":"page"}]}', '/v1/batch', null],
  ])('%s', (text, path, command) => {
    expect(evfwd(text, path)).toBe(command);
  });

  it('encodes control characters in base64', () => {
    const text = '{"type":"track","event":"\u009b2J","userId":"u"}';
    const encoded = Buffer.from(text).toString('base64');
    expect(evfwd(text)).toBe(
      `printf %s '${encoded}' | base64 -d | evfwd send --data - --url '${url}/hook'`,
    );
  });
});

describe('a signature with a time', () => {
  it('is made anew, without the secret', () => {
    const secret = standardSecret;
    const scheme = presets.get('standard-webhooks')!;
    const rule = { scheme, secrets: [secret], secretFile: '/home/me/sw.txt' };
    const verification = new Verification([rule]);
    const headers = Object.entries(signed(scheme, secret, 'a')).flat();
    const request = received({ text: 'a', headers });
    const checked = { ...request, ...verification.check(request) };
    expect(resendCommands(checked, url, verification).curl).toBe(
      `body='a'; printf %s "$body" | evfwd sign --headers --scheme 'standard-webhooks' --id 'msg_1' --secret-file '/home/me/sw.txt' - | curl -g -X POST '${url}/hook' -H @- -H 'User-Agent:' -H 'Accept:' -H 'Content-Type:' --data-binary "$body"`,
    );
  });
});
