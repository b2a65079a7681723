import { describe, expect, it } from 'vitest';
import { captureLine } from '../../../src/listen/capture.js';
import { detailOf } from '../../../src/listen/detail.js';
import { reply, startRawServer } from '../../helpers/raw-server.js';
import { listening, raw, verifying } from '../listening.js';

async function answerOf(url: string, body = 'x') {
  const response = await fetch(url, { method: 'POST', body });
  return [response.status, response.headers.get('x-app'), await response.text()];
}

describe('--forward', () => {
  it('gives the sender the answer of the app, and puts both into the capture', async () => {
    const app = await startRawServer({ response: () => reply(201, { 'x-app': '1' }, 'made') });
    const { url, got, arrived } = await listening({ forward: `http://127.0.0.1:${app.port}` });
    expect(await answerOf(`${url}/a?b=secret`)).toEqual([201, '1', 'made']);
    await arrived(1);
    expect(app.requests).toMatchObject([{ method: 'POST', path: '/a?b=secret' }]);
    expect(JSON.parse(captureLine(got()[0]!))).toMatchObject({
      response: { status: 201, delayMs: 0, body: 'made' },
      forwarded: { url: `http://127.0.0.1:${app.port}/`, status: 201, error: null },
    });
    const detail = detailOf(got()[0]!, { url, verification: verifying(undefined) });
    expect(detail.response).toMatchObject({ body: 'made', note: null });
    expect(detail.ownResponse).toMatchObject({ body: '{"success":true}' });
  });

  it('gives the app the path of an absolute URL', async () => {
    const app = await startRawServer();
    const { port } = await listening({ forward: `http://127.0.0.1:${app.port}` });
    await raw(port, 'GET http://other/a?b HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n');
    expect(app.requests).toMatchObject([{ path: '/a?b' }]);
  });

  it('comes after a fault, --enforce and --respond', async () => {
    const app = await startRawServer();
    const forward = `http://127.0.0.1:${app.port}`;
    const faulty = await listening({ forward, faults: ['status=503'] });
    const enforced = await listening({ forward, secret: 's', isEnforced: true });
    const fixed = await listening({ forward, respond: ['status=202'] });
    for (const [{ url, got }, status] of [
      [faulty, 503],
      [enforced, 401],
      [fixed, 202],
    ] as const) {
      expect((await answerOf(url))[0]).toBe(status);
      expect(got()).toMatchObject([{ forwarded: null, response: { status } }]);
    }
    expect(app.requests).toEqual([]);
  });

  it('repeats the answer of the app without asking it again', async () => {
    const app = await startRawServer({
      response: (_request, index) => reply(index === 0 ? 500 : 200, { 'x-app': '1' }, `n${index}`),
    });
    const forward = `http://127.0.0.1:${app.port}`;
    const { url, got, arrived } = await listening({ forward, isDeduped: true });
    const answers = [await answerOf(url), await answerOf(url), await answerOf(url)];
    expect(answers).toEqual([
      [500, '1', 'n0'],
      [200, '1', 'n1'],
      [200, '1', 'n1'],
    ]);
    await arrived(3);
    expect(got().map(({ isDuplicate, forwarded }) => [isDuplicate, forwarded?.status])).toEqual([
      [false, 500],
      [false, 200],
      [true, undefined],
    ]);
    expect(app.requests).toHaveLength(2);
  });

  it('repeats the status alone of an answer that is too long to be kept', async () => {
    const body = 'x'.repeat(100_000);
    const app = await startRawServer({ response: () => reply(202, { 'x-app': '1' }, body) });
    const forward = `http://127.0.0.1:${app.port}`;
    const { url } = await listening({ forward, isDeduped: true });
    expect(await answerOf(url)).toEqual([202, '1', body]);
    expect(await answerOf(url)).toEqual([202, null, '']);
  });

  it('answers 502 for an app that is down, and says why in the capture', async () => {
    const app = await startRawServer();
    await app.close();
    const { url, got, arrived } = await listening({ forward: `http://127.0.0.1:${app.port}` });
    expect((await answerOf(url))[0]).toBe(502);
    await arrived(1);
    expect(got()).toMatchObject([
      { forwarded: { status: null, error: 'refused' }, response: { status: 502 } },
    ]);
  });
});
