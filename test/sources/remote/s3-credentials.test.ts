import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.js';
import type { Fetch } from '../../../src/sources/remote/aws-endpoints.js';
import { CredentialSource } from '../../../src/sources/remote/s3-credentials.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

type Files = Record<string, string>;
type Env = Record<string, string>;

const none = { AWS_EC2_METADATA_DISABLED: 'true' };
const keys = 'aws_access_key_id = AK\naws_secret_access_key=SK\n';

describe('credentials', () => {
  it.each<[string, Env, Files, object | undefined]>([
    [
      'of the environment',
      {
        AWS_ACCESS_KEY_ID: 'A',
        AWS_SECRET_ACCESS_KEY: 'S',
        AWS_SESSION_TOKEN: 'T',
        AWS_PROFILE: 'x',
      },
      {},
      { accessKeyId: 'A', secretAccessKey: 'S', sessionToken: 'T' },
    ],
    [
      'of the default profile',
      {},
      { '/home/.aws/credentials': `[default]\n${keys}` },
      { accessKeyId: 'AK', secretAccessKey: 'SK' },
    ],
    [
      'of a named profile',
      { AWS_PROFILE: 'x' },
      {
        '/home/.aws/credentials': `[default]\n${keys}[x]\naws_access_key_id=A ; note\n # note\nAWS_SECRET_ACCESS_KEY=S=/+\naws_session_token=T`,
      },
      { accessKeyId: 'A', secretAccessKey: 'S=/+', sessionToken: 'T' },
    ],
    [
      'of the config file',
      { AWS_PROFILE: 'x y' },
      { '/home/.aws/config': `[profile "x y"]\r\ns3 =\r\n  aws_access_key_id = no\r\n${keys}` },
      { accessKeyId: 'AK' },
    ],
    [
      'of other files',
      { AWS_SHARED_CREDENTIALS_FILE: '/c' },
      { '/c': `[default]\n${keys}` },
      { accessKeyId: 'AK' },
    ],
    ['of nowhere', {}, {}, undefined],
    [
      'of a default profile with only a region',
      {},
      { '/home/.aws/config': '[default]\nregion=x' },
      undefined,
    ],
  ])('%s', async (_name, env, files, expected) => {
    const found = await source({ ...none, ...env }, files).get();
    if (expected) expect(found).toMatchObject(expected);
    else expect(found).toBeUndefined();
  });

  it.each<[string, Env, Files, string]>([
    [
      'an unknown profile',
      { AWS_PROFILE: 'x' },
      {},
      'the profile "x" is in no shared file of AWS; check AWS_PROFILE',
    ],
    [
      'a profile without keys',
      { AWS_PROFILE: 'x' },
      { '/home/.aws/config': '[profile x]\nregion=y' },
      'the profile "x" has no aws_access_key_id with an aws_secret_access_key; add them',
    ],
    [
      'half of the keys',
      { AWS_ACCESS_KEY_ID: 'A' },
      {},
      'AWS_SECRET_ACCESS_KEY is not set; set both or none',
    ],
    [
      'a profile of SSO',
      { AWS_PROFILE: 'x' },
      { '/home/.aws/config': '[profile x]\nsso_session=y' },
      'the profile "x" has sso_session, which evfwd cannot use; export keys first: eval "$(aws configure export-credentials --profile x --format env)"',
    ],
    [
      'a default profile with a role',
      {},
      { '/home/.aws/config': '[default]\nrole_arn=y' },
      'the profile "default" has role_arn, which evfwd cannot use; export keys first: eval "$(aws configure export-credentials --format env)"',
    ],
    [
      'a web identity',
      { AWS_WEB_IDENTITY_TOKEN_FILE: '/t' },
      {},
      'AWS_WEB_IDENTITY_TOKEN_FILE is set, which evfwd cannot use; export keys first: eval "$(aws configure export-credentials --format env)"',
    ],
    [
      'keys that have expired',
      {
        AWS_ACCESS_KEY_ID: 'A',
        AWS_SECRET_ACCESS_KEY: 'S',
        AWS_CREDENTIAL_EXPIRATION: '2026-11-20T08:29:59Z',
      },
      {},
      'the AWS credentials of the environment expired at 2026-11-20T08:29:59.000Z; renew them',
    ],
    [
      'a container elsewhere',
      { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://example.com/x' },
      {},
      'AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor an address of this machine or its container service',
    ],
    [
      'a container path that is an address',
      { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '//example.com/x' },
      {},
      'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not a path',
    ],
    [
      'a token of two lines',
      { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/x', AWS_CONTAINER_AUTHORIZATION_TOKEN: 'a\nb' },
      {},
      'the authorization token of the container is not one line',
    ],
    [
      'a container that fails',
      { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/x' },
      {},
      "the container's credentials endpoint cannot be reached; check its role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ],
  ])('%s: an error, never anonymous', async (_name, env, files, message) => {
    const error = await source({ ...none, ...env }, files)
      .get()
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toBe(message);
  });

  it.each([
    'http://127.0.0.1:1/c',
    'http://localhost/c',
    'http://[::1]/c',
    'http://169.254.170.23/c',
    'https://example.com/c',
  ])('of a container, at %s, with its token', async (url) => {
    const asked: unknown[] = [];
    const env = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: url,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/t',
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'no',
    };
    const found = await source(env, { '/t': 'token\n' }, (to, { headers }) => {
      asked.push([to, headers]);
      return answer(role('C'));
    }).get();
    expect(found).toMatchObject({ accessKeyId: 'C', secretAccessKey: 'S', sessionToken: 'T' });
    expect(asked).toEqual([[url, { Authorization: 'token' }]]);
  });

  it('of an instance, by a token of its metadata service', async () => {
    const asked: string[] = [];
    const found = await source(
      { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://imds/' },
      {},
      instance(asked, () => role('I')),
    ).get();
    expect(found).toMatchObject({ accessKeyId: 'I' });
    expect(asked).toEqual([
      'PUT http://imds/latest/api/token',
      'GET http://imds/latest/meta-data/iam/security-credentials/',
      'GET http://imds/latest/meta-data/iam/security-credentials/my-role',
    ]);
  });

  it('of an instance that does not answer within a second: none', async () => {
    const clock = new VirtualClock();
    const found = source(
      {},
      {},
      (_url, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        ),
      clock,
    ).get();
    await expect.poll(() => clock.backgroundWaits).toEqual([1_000]);
    clock.advance(1_000);
    expect(await found).toBeUndefined();
  });

  it('are asked for again five minutes before they expire, and kept where that fails', async () => {
    const clock = new VirtualClock();
    const states = [
      role('one', '2026-11-20T09:30:00Z'),
      undefined,
      role('two', '2026-11-20T10:30:00Z'),
      undefined,
    ];
    let asked = 0;
    const credentials = source(
      {},
      {},
      instance([], () => states[asked++]),
      clock,
    );
    const key = async () => (await credentials.get())?.accessKeyId;
    expect([await key(), await key(), asked]).toEqual(['one', 'one', 1]);
    clock.advance(55 * 60_000);
    expect([await key(), asked]).toEqual(['one', 2]);
    expect([await key(), asked]).toEqual(['two', 3]);
    clock.advance(65 * 60_000);
    await expect(key()).rejects.toThrow("the instance's metadata service gives no credentials");
  });
});

function role(id: string, expires = '2027-01-01T00:00:00Z'): string {
  return JSON.stringify({ AccessKeyId: id, SecretAccessKey: 'S', Token: 'T', Expiration: expires });
}

function answer(text: string | undefined) {
  return Promise.resolve({
    status: text === undefined ? 500 : 200,
    text: () => Promise.resolve(text ?? ''),
  });
}

function instance(asked: string[], credentials: () => string | undefined): Fetch {
  return (url, { method, headers }) => {
    asked.push(`${method} ${url}`);
    if (url.endsWith('/token')) return answer('secret-token');
    expect(headers['X-aws-ec2-metadata-token']).toBe('secret-token');
    return answer(url.endsWith('/') ? 'my-role\n' : credentials());
  };
}

function source(
  env: Env,
  files: Files = {},
  fetch?: Fetch,
  clock = new VirtualClock(),
): CredentialSource {
  return new CredentialSource({
    env,
    home: '/home',
    readFile: (path) => {
      const text = files[path];
      if (text !== undefined) return Promise.resolve(text);
      return Promise.reject(Object.assign(new Error('missing'), { code: 'ENOENT' }));
    },
    fetch: fetch ?? (() => Promise.reject(new Error('no network'))),
    clock,
  });
}
