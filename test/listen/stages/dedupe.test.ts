import { gzipSync } from 'node:zlib';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { captureLine } from '../../../src/listen/capture.js';
import { notesOf } from '../../../src/listen/notes.js';
import { responseFor } from '../../../src/listen/planned-response.js';
import { AnswerStore } from '../../../src/listen/stages/answer-store.js';
import { dedupe } from '../../../src/listen/stages/dedupe.js';
import { answerWith, type Answer, type Exchange } from '../../../src/listen/stages/stage.js';
import { unchecked } from '../../../src/receive/checked-signature.js';
import { listening, received, verifying, type Listening } from '../listening.js';
import { startApp } from '../forward/forwarding.js';
import { signed, standardSecret } from '../signed.js';

const post = async (
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) => (await fetch(url, { method: 'POST', body, headers })).status;

const duplicates = ({ got }: Listening): boolean[] => got().map(({ isDuplicate }) => isDuplicate);

describe('a repeat', () => {
  it('is known by the id of its webhook, whatever its body and time', async () => {
    const verification = verifying(standardSecret, 'standard-webhooks');
    const listener = await listening({ isDeduped: true, verification });
    const headersOf = (id: string, body: string, nowMs = Date.now()) =>
      signed('standard-webhooks', standardSecret, body, { id, nowMs });
    await post(listener.url, 'a', headersOf('1', 'a', Date.now() - 5000));
    await post(listener.url, 'b', headersOf('1', 'b'));
    await post(`${listener.url}/other`, 'b', headersOf('1', 'b'));
    await post(listener.url, 'a', headersOf('2', 'a'));
    expect(duplicates(listener)).toEqual([false, true, false, false]);
  });

  it('is none at another path, to which one event may be sent as well', async () => {
    const seen: string[] = [];
    const app = await startApp((request, response) => {
      seen.push(request.url!);
      response.end(`from ${request.url!}`);
    });
    const listener = await listening({ isDeduped: true, forward: app });
    const body = '{"type":"track","messageId":"1"}';
    const answers: string[] = [];
    for (const path of ['/billing', '/crm', '/crm?attempt=2', '//crm/', '/billing']) {
      const response = await fetch(listener.url + path, { method: 'POST', body });
      answers.push(await response.text());
    }
    expect(seen).toEqual(['/billing', '/crm']);
    expect(answers).toEqual([
      'from /billing',
      ...['from /crm', 'from /crm', 'from /crm'],
      'from /billing',
    ]);
  });

  it.each([300, 302, 304, 404, 500])('is none of a request that got %i', async (status) => {
    const listener = await listening({ isDeduped: true, respond: [`status=${status},body=`] });
    const body = '{"type":"track","messageId":"1"}';
    for (let i = 0; i < 2; i++) {
      await fetch(listener.url, { method: 'POST', body, redirect: 'manual' });
    }
    expect(duplicates(listener)).toEqual([false, false]);
  });

  it('is none with another method', async () => {
    const listener = await listening({ isDeduped: true });
    const body = '{"type":"track","messageId":"1"}';
    for (const method of ['POST', 'PUT', 'PUT']) await fetch(listener.url, { method, body });
    expect(duplicates(listener)).toEqual([false, false, true]);
  });

  it.each([
    [
      'its messageId',
      ['/', '{"type":"track","messageId":"1"}'],
      ['/?b', '{"type":"track","messageId":"1","a":2}'],
      true,
    ],
    [
      'its path',
      ['/', '{"type":"track","messageId":"1"}'],
      ['/b', '{"type":"track","messageId":"1"}'],
      false,
    ],
    [
      'another messageId',
      ['/', '{"type":"track","messageId":"1"}'],
      ['/', '{"type":"track","messageId":"2"}'],
      false,
    ],
    ['path and body', ['/a', 'x'], ['/a', 'x'], true],
    ['another path', ['/a', 'x'], ['/a?b', 'x'], false],
    ['another body', ['/a', 'x'], ['/a', 'y'], false],
    [
      'the body of a batch',
      ['/', '{"batch":[{"type":"track","messageId":"1"}]}'],
      ['/', '{"batch":[{"type":"track","messageId":"1"},{"type":"track"}]}'],
      false,
    ],
  ])('or else by %s', async (_name, [path, body], [otherPath, otherBody], isRepeat) => {
    const listener = await listening({ isDeduped: true });
    await post(listener.url + path!, body!);
    await post(listener.url + otherPath!, otherBody!);
    expect(duplicates(listener)).toEqual([false, isRepeat]);
  });

  describe('with the messageIds of its events', () => {
    const event = (id: string, more = '') => `{"type":"track","messageId":"${id}"${more}}`;
    const came = ({ got }: Listening) =>
      got().map(({ isDuplicate, duplicateEvents }) => [isDuplicate, ...duplicateEvents]);

    it.each([
      ['an array', (...events: string[]) => `[${events.join()}]`],
      ['a batch', (...events: string[]) => `{"batch":[${events.join()}]}`],
    ])('is known in %s of other events, too', async (_name, arrayOf) => {
      const listener = await listening({ isDeduped: true });
      await post(listener.url, arrayOf(event('1'), event('2')));
      await post(listener.url, event('3'));
      await post(listener.url, arrayOf(event('3'), event('2', ',"a":1')));
      await post(listener.url, arrayOf(event('2'), event('4'), event('3'), event('4')));
      await post(listener.url, event('4'));
      expect(came(listener)).toEqual([[false], [false], [true], [false, 0, 2, 3], [true]]);
      const lines = listener.got().map((one) => JSON.parse(captureLine(one)) as object);
      expect(lines[2]).not.toHaveProperty('duplicateEvents');
      expect(lines[3]).toMatchObject({ duplicateEvents: [0, 2, 3] });
    });

    it('is passed on whole when one of them is new, and not at all when none is', async () => {
      const bodies: string[] = [];
      const app = await startApp((request, response) => {
        request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
        request.on('end', () => response.end(String(bodies.length)));
      });
      const listener = await listening({ isDeduped: true, forward: app });
      const [first, mixed] = [`[${event('1')}]`, `[${event('1')},${event('2')}]`];
      const answers: string[] = [];
      for (const body of [first, mixed, mixed, `[${event('2')}]`]) {
        answers.push(await (await fetch(listener.url, { method: 'POST', body })).text());
      }
      expect(bodies).toEqual([first, mixed]);
      expect(answers).toEqual(['1', '2', '1', '2']);
    });

    it('or with the text of one that has none, as if it came alone', async () => {
      const listener = await listening({ isDeduped: true });
      const page = '{"type":"page","name":"é"}';
      await post(listener.url, `[${event('1')}, ${page},1]`);
      await post(listener.url, page);
      await post(listener.url, gzipSync(`[1,{"type":"page"},${page},${event('1', ',"b":2')}]`));
      await post(listener.url, `[{"type":"page"}]`);
      await post(listener.url, `[{"type":"page", "a":1}]`);
      expect(came(listener)).toEqual([[false], [true], [false, 0, 2, 3], [true], [false]]);
    });

    it('is the whole body of an empty batch', async () => {
      const listener = await listening({ isDeduped: true });
      for (const body of ['{"batch":[]}', '{"batch":[]}', '{"batch":[],"a":1}']) {
        await post(listener.url, body);
      }
      expect(came(listener)).toEqual([[false], [true], [false]]);
    });
  });

  it('is answered as the first was, and marked in its capture', async () => {
    const respond = ['status=201,type=text/x,body={query.a}'];
    const listener = await listening({ isDeduped: true, respond });
    const answers: unknown[] = [];
    for (const a of [1, 2]) {
      const body = '{"type":"track","messageId":"1"}';
      const response = await fetch(`${listener.url}/?a=${a}`, { method: 'POST', body });
      answers.push([response.status, response.headers.get('content-type'), await response.text()]);
    }
    expect(answers).toEqual([
      [201, 'text/x', '1'],
      [201, 'text/x', '1'],
    ]);
    const lines = listener.got().map((one) => JSON.parse(captureLine(one)) as object);
    expect(lines[0]).not.toHaveProperty('duplicate');
    expect(lines[1]).toMatchObject({ duplicate: true, response: { status: 201, body: '1' } });
  });

  it.each([
    ['a fault', { faults: ['status=503,first=1'] }, [503, 200, 200]],
    ['a refusal', { respond: ['status=400'] }, [400, 400, 400]],
  ])('is none after %s: the first was not answered 2xx', async (_name, options, statuses) => {
    const listener = await listening({ isDeduped: true, ...options });
    const got: number[] = [];
    for (let i = 0; i < 3; i++) got.push(await post(listener.url, 'x'));
    expect(got).toEqual(statuses);
    expect(duplicates(listener)).toEqual([false, false, got[1] === 200]);
  });

  it('is none without --dedupe', async () => {
    const listener = await listening();
    await post(listener.url, 'x');
    await post(listener.url, 'x');
    expect(duplicates(listener)).toEqual([false, false]);
  });
});

function exchange(body: string): Exchange {
  const incoming = received({ text: body });
  const response = undefined as never;
  return { incoming, notes: notesOf(incoming.body, '/'), checked: unchecked, response };
}

const made = (status: number): Answer => answerWith({ ...responseFor(undefined), status });

describe('while the first is being answered', () => {
  it('its repeats wait, and get the same answer', async () => {
    const stage = dedupe({ waitMs: 60_000 });
    let resolve!: (answer: Answer) => void;
    const first = new Promise<Answer>((given) => (resolve = given));
    let asked = 0;
    const next = () => (asked++, first);
    const all = [1, 2, 3].map(async () => await stage(exchange('x'), next));
    await nextTurn();
    expect(asked).toBe(1);
    resolve(made(202));
    const answers = await Promise.all(all);
    expect(answers.map(({ isDuplicate }) => isDuplicate)).toEqual([false, true, true]);
    expect(answers.map(({ response }) => response.status)).toEqual([202, 202, 202]);
  });

  it('and they share an event with it, batches wait as well', async () => {
    let resolve!: (answer: Answer) => void;
    const first = new Promise<Answer>((given) => (resolve = given));
    const stage = dedupe({ waitMs: 60_000 });
    const sent: string[] = [];
    const ask = async (...ids: string[]) => {
      const body = JSON.stringify(ids.map((messageId) => ({ type: 'track', messageId })));
      return stage(exchange(body), () => {
        sent.push(ids.join());
        return sent.length === 1 ? first : made(200);
      });
    };
    const all = [ask('1', '2'), ask('2'), ask('3', '1'), ask('4')];
    await nextTurn();
    expect(sent).toEqual(['1,2', '4']);
    resolve(made(202));
    const answers = await Promise.all(all);
    expect(sent).toEqual(['1,2', '4', '3,1']);
    expect(answers.map(({ response }) => response.status)).toEqual([202, 202, 200, 200]);
    expect(answers.map(({ duplicateEvents }) => duplicateEvents)).toEqual([[], [], [1], []]);
  });

  it('and it fails, one repeat after the other takes its place', async () => {
    const stage = dedupe({ waitMs: 60_000 });
    const statuses = [503, 500, 200];
    const next = async (): Promise<Answer> => {
      const status = statuses.shift()!;
      await nextTurn();
      return made(status);
    };
    const all = [1, 2, 3, 4].map(async () => await stage(exchange('x'), next));
    const answers = await Promise.all(all);
    expect(answers.map(({ response }) => response.status)).toEqual([503, 500, 200, 200]);
    expect(answers.map(({ isDuplicate }) => isDuplicate)).toEqual([false, false, false, true]);
  });

  it('its repeats wait for a limited time, and are then told to come again', async () => {
    const stage = dedupe({ waitMs: 5 });
    let resolve!: (answer: Answer) => void;
    const first = stage(exchange('x'), () => new Promise<Answer>((given) => (resolve = given)));
    const never = () => Promise.reject(new Error('a repeat is not forwarded'));
    const late = await stage(exchange('x'), never);
    expect(late).toMatchObject({ isDuplicate: false, response: { status: 503 } });
    expect(JSON.parse(late.response.content!.body.toString())).toMatchObject({
      error: { code: 'first_unanswered' },
    });
    resolve(made(200));
    await first;
    expect(await stage(exchange('x'), never)).toMatchObject({ isDuplicate: true });
  });

  it('other requests do not wait', async () => {
    const stage = dedupe({ waitMs: 60_000 });
    void stage(exchange('x'), () => new Promise(() => undefined));
    expect(await stage(exchange('y'), () => Promise.resolve(made(200)))).toMatchObject({
      isDuplicate: false,
    });
  });

  it('a response whose sender had the status line and went away counts, with its status alone', async () => {
    const stage = dedupe({ waitMs: 60_000 });
    const forwarded = { url: 'http://a', status: 202, durationMs: 1, error: 'aborted' };
    const content = {
      by: 'forward',
      headers: [],
      body: Buffer.from('be'),
      isWhole: false,
    } as const;
    const first = answerWith({ ...responseFor(undefined), status: 202, content });
    await stage(exchange('x'), () => Promise.resolve({ ...first, forwarded }));
    const repeat = await stage(exchange('x'), () => Promise.resolve(made(200)));
    expect(repeat).toMatchObject({ isDuplicate: true, response: { status: 202 } });
    expect(repeat.response.content!.body).toHaveLength(0);
  });

  it('a response that broke off counts as none', async () => {
    const stage = dedupe({ waitMs: 60_000 });
    const forwarded = { url: 'http://a', status: 200, durationMs: 1, error: 'reset' };
    const next = () => Promise.resolve({ ...made(200), forwarded });
    await stage(exchange('x'), next);
    expect(await stage(exchange('x'), next)).toMatchObject({ isDuplicate: false });
  });
});

describe('the responses that are kept', () => {
  const withBody = (text: string, isWhole = true) => ({
    ...responseFor(undefined),
    content: { by: 'forward', headers: [], body: Buffer.from(text), isWhole } as const,
  });

  it('are those of the newest ids', () => {
    const store = new AnswerStore({ ids: 2, bytes: 1000 });
    for (const id of ['a', 'b', 'c']) store.add([id], withBody(id));
    expect(['a', 'b', 'c'].map((id) => store.find(id) !== undefined)).toEqual([false, true, true]);
  });

  it('lose their bodies, the oldest first, when there are too many bytes', () => {
    const store = new AnswerStore({ ids: 10, bytes: 10 });
    for (const id of ['a', 'b', 'c']) store.add([id], withBody(id.repeat(4)));
    const kept = ['a', 'b', 'c'].map((id) => store.find(id)!);
    expect(kept.map(({ content }) => content!.body.toString())).toEqual(['', 'bbbb', 'cccc']);
    expect(kept.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('have no body if only its beginning is known', () => {
    const store = new AnswerStore();
    store.add(['a'], withBody('begin', false));
    expect(store.find('a')!.content!.body.toString()).toBe('');
  });

  it('of several ids count once, until the last of these is dropped', () => {
    const store = new AnswerStore({ ids: 4, bytes: 10 });
    store.add(['a', 'b', 'c'], withBody('12345678'));
    const text = (id: string) => store.find(id)?.content!.body.toString();
    expect(['a', 'b', 'c'].map(text)).toEqual(['12345678', '12345678', '12345678']);
    store.add(['d', 'e'], withBody('12'));
    expect(['a', 'b', 'c', 'd'].map(text)).toEqual([undefined, '12345678', '12345678', '12']);
    store.add(['f', 'g'], withBody('1'));
    expect(['c', 'd', 'f'].map(text)).toEqual([undefined, '12', '1']);
    store.add(['h'], withBody('1234567'));
    expect(['d', 'e', 'f', 'h'].map(text)).toEqual([undefined, '12', '1', '1234567']);
  });

  it('forget the bytes of ids that are dropped', () => {
    const store = new AnswerStore({ ids: 1, bytes: 8 });
    for (let i = 0; i < 100; i++) store.add([String(i)], withBody('12345678'));
    expect(store.find('99')!.content!.body.toString()).toBe('12345678');
  });
});
