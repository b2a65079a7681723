import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { inProcess as cli } from '../helpers/in-process.js';

describe('what cannot work', () => {
  it.each([
    [
      ['--fault', 'status=1000'],
      /^evfwd: --fault "status=1000": status must be a number from 200 to 599\n$/,
    ],
    [
      ['--expect', 'trak'],
      /^evfwd: --expect "trak": "trak" is not an event type; did you mean track\?/,
    ],
    [['--within', '3s'], /^evfwd: --within needs --expect; use both\n$/],
    [['--junit', 'x.xml'], /^evfwd: --junit needs --expect; use both\n$/],
    [['--within', '3', '--expect', 'track'], /^evfwd: --within: "3" has no unit; use 3s or 3ms/],
    [
      ['--port', '65536'],
      /^evfwd: --port: "65536" is not a valid port; use one from 0 to 65535\n$/,
    ],
    [['--seed', 'x'], /^evfwd: --seed: "x" is not a whole number/],
    [
      ['--record', 'a-file/got.ndjson'],
      /^evfwd: --record \S+a-file\/got\.ndjson: cannot be written \((ENOTDIR|EEXIST)\); choose another place\n$/,
    ],
    [['--host', '192.0.2.1'], /^evfwd: --host 192\.0\.2\.1 is not an address of this machine; use/],
    [['--secret', ''], /^evfwd: --secret is empty/],
    [['--enforce'], /^evfwd: --enforce needs a secret; use --secret-file/],
    [['--verify', 'path=/a'], /^evfwd: --verify: path=\/a: it has no secret/],
    [
      ['--verify', 'path=/a,secret-file=none.txt'],
      /^evfwd: --verify secret-file none\.txt cannot be read/,
    ],
    [['--respond', 'body=@none.txt'], /^evfwd: --respond: body=@none\.txt cannot be read/],
    [['--forward', 'localhost:3000'], /^evfwd: --forward: not a valid http:\/\/ or https/],
    [['--forward', 'http://u:secret@localhost:3000'], /^(?!.*secret).*password; leave them out/],
    [
      ['--scheme', 'svix', '--verify', 'path=/a,secret=AAAA', '--verify', 'path=/b,secret=!'],
      /^(?!.*!).*evfwd: --verify: path=\/b: the secret is not Base64/m,
    ],
    [['-q', '--scheme', 'svix', '--secret', '!'], /^evfwd: --secret: the secret is not Base64/],
    [
      ['--forward', 'http://127.0.0.1:1', '--forward-timeout', '0s'],
      /^evfwd: --forward-timeout 0s: must be more than 0\n$/,
    ],
    [['--forward-timeout', '3s'], /^evfwd: --forward-timeout needs --forward; use both\n$/],
    [
      ['--port', '45917', '--forward', 'http://localhost:45917/a?secret'],
      /^(?!.*secret)[^]*evfwd: --forward http:\/\/localhost:45917\/a is this receiver itself/,
    ],
  ])('%j is one line and exit code 2', async (args, message) => {
    const cwd = folderWith({ 'a-file': '' });
    const { code, stderr, stdout } = await cli(['listen', '--port', '0', ...args], { cwd });
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([2, '']);
    expect(existsSync(join(cwd, 'x.xml'))).toBe(false);
  });

  it('is a port in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { code, stderr } = await cli(['listen', '--port', String(port)]);
    await new Promise((resolve) => server.close(resolve));
    expect(stderr).toBe(
      `evfwd: port ${port} of 127.0.0.1 is in use; use another --port, or --port 0 for a free one\n`,
    );
    expect(code).toBe(2);
  });
});
