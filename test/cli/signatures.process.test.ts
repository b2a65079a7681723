import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { requestVerifier } from '../../src/sign/request-verifier.js';
import { presets } from '../../src/sign/schemes/index.js';
import { cli, program } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { startReceiver } from '../helpers/receiver.js';
import { vectors, type Vector } from '../sign/schemes/vectors.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function flagsOf({ id, seconds, url, contentType }: Vector): string[] {
  return [
    ...(id === undefined ? [] : ['--id', id]),
    ...(seconds === undefined ? [] : ['--at', String(seconds)]),
    ...(url === undefined ? [] : ['--url', url]),
    ...(contentType === undefined ? [] : ['--content-type', contentType]),
  ];
}

/** What is signed with the secret of a vector, as flags of `verify-sig`. */
async function signedFlags(vector: Vector): Promise<string[]> {
  const env = { EVFWD_SECRET: vector.secret, EVFWD_SCHEME: vector.scheme };
  const args = ['sign', '--headers', ...flagsOf(vector)];
  const { code, stdout, stderr } = await cli(args, { env, stdin: vector.body });
  expect(code).toBe(0);
  const query = /bodySHA256=\w+/.exec(stderr)?.[0];
  const type =
    vector.contentType === undefined ? [] : ['--header', `Content-Type: ${vector.contentType}`];
  const given = vector.contentType === undefined ? [] : ['--url', vector.url!];
  return [
    ...stdout
      .trimEnd()
      .split('\n')
      .flatMap((header) => ['--header', header]),
    ...(vector.seconds === undefined ? [] : ['--at', String(vector.seconds)]),
    ...(query === undefined ? given : ['--url', `${vector.url!}&${query}`]),
    ...type,
  ];
}

describe.each(vectors)('the published signature of $title', (vector) => {
  it('is signed, found valid, and found wrong for another body', async () => {
    const flags = await signedFlags(vector);
    expect(flags[1]).toBe(`${presets.get(vector.scheme)!.header}: ${vector.value}`);
    const env = { EVFWD_SECRET: vector.publicKey ?? vector.secret };
    const verify = (stdin: string) => cli(['verify', '--json', ...flags], { env, stdin });
    const [good, bad] = await Promise.all([verify(vector.body), verify(`${vector.body}\n`)]);
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(good.stdout)).toEqual({ valid: true, scheme: vector.scheme });
    expect(bad).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(bad.stdout)).toMatchObject({ valid: false, reason: 'mismatch' });
  });
});

it.each(['x-signature', 'standard-webhooks', 'stripe', 'slack', 'github'])(
  'sign --headers can be piped to curl: %s',
  async (name) => {
    const receiver = await startReceiver();
    const cwd = folderWith({ 'body.json': '{"a":1}\n', 'secret.txt': secret });
    const script = `"$0" "$1" sign body.json --scheme ${name} --secret-file secret.txt --headers |
      curl --silent --fail -H @- --data-binary @body.json "$2"`;
    const args = ['-c', script, process.execPath, program, receiver.url];
    await promisify(execFile)('bash', args, { cwd });
    await receiver.close();
    const [{ headers, body }] = receiver.requests as [(typeof receiver.requests)[0]];
    const verifier = requestVerifier({ scheme: presets.get(name)!, secrets: [secret] });
    const flat = Object.entries(headers).flat() as string[];
    expect(verifier.verify({ headers: flat, body }, Date.now())).toMatchObject({ valid: true });
  },
);
