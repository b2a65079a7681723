import { describe, expect, it, onTestFinished } from 'vitest';
import { verify } from '../../src/sign/x-signature.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess as cli } from '../helpers/in-process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

const hidden = 'hush';

async function receiverWith(status: number): Promise<Receiver> {
  const receiver = await startReceiver(() => ({ status }));
  onTestFinished(() => receiver.close());
  return receiver;
}

/** A file with the destination `crm`, whose alerts go to this URL, and others. */
function configuration(url: string, more = ''): string {
  const folder = folderWith({
    'evfwd.config.yaml': `sources:
  web: { writeKey: k1, destinations: [plain, crm] }
destinations:
  plain: { type: Webhooks, endpoints: [{ url: https://plain.example.com }] }
  crm:
    type: Webhooks
    allowPrivateNetworks: true
    endpoints: [{ url: https://crm.example.com/hook?token=${hidden} }]
    alerts: { url: '${url}?key=${hidden}', sharedSecret: ${hidden}-secret, after: 5m }
${more}`,
  });
  return `${folder}/evfwd.config.yaml`;
}

const testAlert = (config: string, ...args: string[]) =>
  cli(['serve', '--config', config, '--test-alert', ...args]);

describe('serve --test-alert', () => {
  it('sends one signed alert of the destination that has some, and says what came of it', async () => {
    const receiver = await receiverWith(200);
    const { code, stdout, stderr } = await testAlert(configuration(receiver.url));
    expect(stdout).toMatch(/^delivered {2}http:\S+\/hook {2}200 {2}[\d.]+ ms\n$/);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [{ body, headers }] = receiver.requests as [Receiver['requests'][number]];
    expect(receiver.requests).toHaveLength(1);
    expect(verify(body, headers['x-signature'] as string, `${hidden}-secret`)).toBe(true);
    expect(receiver.json()).toEqual([
      {
        text: 'This is a test: alerts about crm arrive here.',
        ...{ kind: 'test', destination: 'crm', endpoint: 'https://crm.example.com/hook' },
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
        ...{ reason: 'evfwd serve --test-alert was run', counts: {} },
      },
    ]);
  });

  it('says why it was not delivered, after one attempt, as text and as JSON', async () => {
    const receiver = await receiverWith(503);
    const config = configuration(receiver.url);
    const text = await testAlert(config, 'crm');
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(
      /^not delivered {2}http:\S+\/hook {2}503 {2}[\d.]+ ms {2}HTTP 503 Service Unavailable: ok\n$/,
    );
    const json = await testAlert(config, 'crm', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ...{ type: 'test-alert', destination: 'crm', delivered: false, url: receiver.url },
      ...{ status: 503, error: null },
    });
    expect(receiver.requests).toHaveLength(2);
    expect(JSON.stringify([text, json])).not.toContain(hidden);
  });

  it('names the other destinations with alerts', async () => {
    const receiver = await receiverWith(200);
    const erp = `  erp:
    type: Webhooks
    endpoints: [{ url: https://erp.example.com }]
    alerts: { url: '${receiver.url}' }
`;
    const config = configuration(receiver.url, erp);
    const first = await testAlert(config);
    expect(first.stderr).toBe('testing the alerts of crm; name one for another: erp\n');
    expect(receiver.json()).toMatchObject([{ destination: 'crm' }]);
    const other = await testAlert(config, 'erp');
    expect(other).toMatchObject({ code: 1, stderr: '' });
    expect(other.stdout).toContain('loopback and private addresses are refused');
    expect(receiver.requests).toHaveLength(1);
  });

  it.each([
    ['cmr', /unknown destination "cmr"; did you mean crm\?/],
    ['plain', /the destination plain has no alerts; add alerts: \{ url: … \} to it in \S+yaml/],
  ])('refuses %s', async (name, said) => {
    const { code, stdout, stderr } = await testAlert(configuration('https://a.example'), name);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(said);
  });

  it('refuses a file without alerts', async () => {
    const folder = folderWith({
      'evfwd.config.yaml':
        'sources:\n  web: { writeKey: k1, destinations: [] }\ndestinations: {}\n',
    });
    const { code, stderr } = await testAlert(`${folder}/evfwd.config.yaml`);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no destination in \S+yaml has alerts; add alerts/);
  });
});
