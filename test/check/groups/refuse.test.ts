import { describe, expect, it } from 'vitest';
import { verify } from '../../../src/sign/x-signature.js';
import { reset, startRawServer } from '../../helpers/raw-server.js';
import { startEndpoint } from '../helpers/endpoint.js';
import { runSome, verdictOf } from '../helpers/run-some.js';

describe.each(['refuse.bad-json', 'refuse.empty'])('%s', (id) => {
  it.each([
    [204, 'pass: HTTP 204'],
    [400, 'pass: HTTP 400'],
    [415, 'pass: HTTP 415'],
    [500, /^warn: (a body that is not JSON|an empty body) was answered HTTP 500$/],
    [429, /^pass: /],
  ])('judges HTTP %i', async (status, verdict) => {
    const { url } = await startEndpoint(({ body }) => (body.at(-1) === 125 ? 204 : status));
    const found = await verdictOf(url, [id]);
    if (typeof verdict === 'string') expect(found).toBe(verdict);
    else expect(found).toMatch(verdict);
  });

  it('warns of a reset', async () => {
    const server = await startRawServer({ response: () => reset });
    expect(await verdictOf(server.url, [id])).toMatch(
      /^warn: .*connection closed before a response/,
    );
  });

  it('warns of silence', async () => {
    const { url } = await startEndpoint(() => undefined);
    expect(await verdictOf(url, [id], { deadlineMs: 50 })).toMatch(/^warn: .*timed out/);
  });

  it('signs what it sends', async () => {
    const { url, arrived } = await startEndpoint();
    await runSome(url, [id]);
    const [{ message, body }] = arrived as [(typeof arrived)[number]];
    expect(verify(body, String(message.headers['x-signature']), 'topsecret')).toBe(true);
    expect(() => JSON.parse(body.toString()) as unknown).toThrow();
  });
});

describe('refuse.type', () => {
  it.each([
    [415, 'info: HTTP 415'],
    [200, 'info: HTTP 200'],
    [400, 'info: text/plain: HTTP 400, expected 415 or 2xx'],
  ])('reports HTTP %i', async (status, verdict) => {
    const { url, arrived } = await startEndpoint(() => status);
    expect(await verdictOf(url, ['refuse.type'])).toBe(verdict);
    expect(arrived[0]!.message.headers['content-type']).toBe('text/plain');
  });
});
