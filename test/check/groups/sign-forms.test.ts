import { describe, expect, it } from 'vitest';
import { batchChecks } from '../../../src/check/groups/batch.js';
import { formChecks } from '../../../src/check/groups/sign-forms.js';
import { signingBy, standardSecret } from '../../helpers/signing.js';
import { startEndpoint, type Hook } from '../helpers/hook.js';
import { evaluate } from '../helpers/evaluate.js';
import { hmac } from '../helpers/right-endpoints.js';

async function messages(accepts: (hook: Hook) => boolean, scheme = 'x-signature') {
  const url = await startEndpoint((hook) => (accepts(hook) ? 200 : 401));
  const [signing] = signingBy(scheme, standardSecret);
  const { results } = await evaluate(formChecks, url, { signing });
  return [...results.values()].map(({ message }) => message);
}

describe('other forms of a signature', () => {
  const right = ({ body }: Hook) => hmac('sha1', standardSecret, body);
  const given = ({ header }: Hook) => header('x-signature');

  it('are reported as accepted', async () => {
    const accepts = (hook: Hook) => given(hook).toLowerCase().replace('sha1=', '') === right(hook);
    expect(await messages(accepts)).toEqual([
      'a valid signature in uppercase hex is accepted: HTTP 200',
      'a valid signature prefixed with sha1= is accepted: HTTP 200',
    ]);
  });

  it('are reported as refused', async () => {
    expect(await messages((hook) => given(hook) === right(hook))).toEqual([
      'a valid signature in uppercase hex is not accepted: HTTP 401',
      'a valid signature prefixed with sha1= is not accepted: HTTP 401',
    ]);
  });

  const schemes: [string, string, string][] = [
    ['shopify', 'Base64', 'is accepted'],
    ['github', 'is accepted', 'text of its own before the signature'],
    ['stripe', 'is accepted', 'text of its own before the signature'],
    ['standard-webhooks', 'Base64', 'text of its own before the signature'],
  ];

  it.each(schemes)('are not judged where %s has no such form', async (scheme, one, other) => {
    expect(await messages(() => true, scheme)).toEqual([
      expect.stringContaining(one),
      expect.stringContaining(other),
    ]);
  });
});

describe('batch.first-only', () => {
  /** The signature of the first event is that of the batch. */
  const endpoint = ({ body, header }: Hook) => {
    const [first] = JSON.parse(body.toString()) as object[];
    const right = hmac('sha1', standardSecret, JSON.stringify(first));
    return header('x-signature') === right ? 200 : 401;
  };

  it('says that a receiver cannot see a changed second event', async () => {
    const [{ scheme, secrets }] = signingBy('x-signature', standardSecret);
    const signing = { scheme: { ...scheme, name: 'segment-batch' }, secrets };
    const { results } = await evaluate(batchChecks, await startEndpoint(endpoint), { signing });
    expect(results.get('batch.first-only')).toMatchObject({
      outcome: 'passed',
      message: expect.stringContaining('cannot see that the second event was changed'),
    });
  });
});
