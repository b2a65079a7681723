import { describe, expect, it } from 'vitest';
import { rotationCheck } from '../../../src/check/groups/sign-rotation.js';
import { signingBy, standardSecret } from '../../helpers/signing.js';
import { startEndpoint } from '../helpers/hook.js';
import { foundBy, evaluate } from '../helpers/evaluate.js';
import { rightEndpoint, verifierOf } from '../helpers/right-endpoints.js';

const newSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD6ZVG8yHUM2c=';

describe('sign.rotation', () => {
  const schemes: [string, number][] = [
    ['x-signature', 2],
    ['github', 2],
    ['standard-webhooks', 3],
    ['stripe', 3],
    ['hookdeck', 3],
  ];

  it.each(schemes)('passes for a receiver of %s that knows both secrets', async (name, sent) => {
    const [signing] = signingBy(name, newSecret, standardSecret);
    const url = await startEndpoint(rightEndpoint(verifierOf(signing)));
    const { results, exchanges } = await evaluate([rotationCheck], url, { signing });
    expect(results.get('sign.rotation')?.outcome).toBe('passed');
    expect(exchanges).toHaveLength(sent);
    expect(rotationCheck.requests).toBeTypeOf('function');
  });

  it.each([newSecret, standardSecret])('fails for a receiver that knows one alone', async (one) => {
    const [signing] = signingBy('standard-webhooks', newSecret, standardSecret);
    const [known] = signingBy('standard-webhooks', one);
    const url = await startEndpoint(rightEndpoint(verifierOf(known)));
    expect(await foundBy([rotationCheck], url, { signing })).toEqual({ 'sign.rotation': 'failed' });
  });

  it('fails for a receiver that reads the first signature of a list alone', async () => {
    const [signing] = signingBy('standard-webhooks', newSecret, standardSecret);
    const verify = verifierOf(signing);
    const url = await startEndpoint((hook) =>
      hook.header('webhook-signature').includes(' ') ? 401 : rightEndpoint(verify)(hook),
    );
    expect(await foundBy([rotationCheck], url, { signing })).toEqual({ 'sign.rotation': 'failed' });
  });

  it('needs a second secret', async () => {
    const [signing] = signingBy('stripe', standardSecret);
    const { results, exchanges } = await evaluate([rotationCheck], 'http://127.0.0.1:1/', {
      signing,
    });
    expect(results.get('sign.rotation')?.message).toMatch('there is one secret');
    expect(exchanges).toEqual([]);
  });
});
