import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startEndpoint } from '../../check/helpers/hook.js';
import { secret } from '../../check/helpers/right-endpoints.js';
import { cli } from '../../helpers/cli.js';
import { folderWith } from '../../helpers/folder.js';

const bare = secret.slice('whsec_'.length);
const key = Buffer.from(bare, 'base64');
const token = 'tok_4d8fa90c11';

/** A secret in the forms in which an endpoint may show it. */
const forms: readonly string[] = [
  secret,
  bare,
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('hex'),
  key.toString('hex'),
  key.toString('hex').toUpperCase(),
  key.toString('base64url'),
  key.toString('latin1'),
  encodeURIComponent(secret),
];
const formats = ['junit', 'markdown', 'html', 'sarif'];

/** Everything that a run says of an endpoint that repeats all it knows, and refuses most. */
async function everything(scheme: string, flags: readonly string[]) {
  const url = await startEndpoint(({ incoming }) => {
    const text = [...forms, token, JSON.stringify(incoming.headers)].join('\n');
    const isOdd = /alias|chunked|GET|b%20c/.test(
      `${incoming.method} ${incoming.url} ${JSON.stringify(incoming.headers)}`,
    );
    return [isOdd ? 500 : 200, `${text}\n${key.toString('latin1')}`];
  });
  const folder = folderWith({ secret });
  const files = formats.map((format) => join(folder, format));
  const { stdout, stderr } = await cli([
    ...['check', `${url}?token=${token}`, '--scheme', scheme, '--skip', 'http.idle'],
    ...['--skip', 'load', '--skip', 'answer.deadline'],
    ...['--secret-file', join(folder, 'secret'), '-H', `Authorization: Bearer ${token}`],
    ...formats.flatMap((format, index) => [`--${format}`, files[index]!]),
    ...flags,
  ]);
  return { stdout, stderr, files: files.map((file) => readFileSync(file, 'utf8')) };
}

it.each([
  ['standard-webhooks', ['-v']],
  ['standard-webhooks', ['--json']],
  ['x-signature', ['-v']],
  ['twilio', ['--json']],
])('a secret of %s is in no output (%j)', async (scheme, flags) => {
  const { stdout, stderr, files } = await everything(scheme, flags);
  expect(stdout).toContain('sign.missing');
  for (const text of [stdout, stderr, ...files])
    expect(forms.filter((form) => text.includes(form))).toEqual([]);
});

it('the value of a static header is in the commands of the terminal alone', async () => {
  const { stdout, stderr, files } = await everything('x-signature', []);
  expect(stdout).toContain(`Authorization: Bearer ${token}`);
  expect(stderr).not.toContain(token);
  for (const text of files) {
    expect(text).toContain('Authorization: ***');
    expect(text.replaceAll(`token=${token}`, '')).not.toContain(token);
  }
});
