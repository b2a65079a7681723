import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { captureFile } from '../../replay/captures.js';
import { compare, json, one, version, type HandledRequest, type Handler } from './versions.js';

describe('what evfwd replay --candidate finds', () => {
  it('leaves out what differs between two responses of the first version', async () => {
    let n = 0;
    const noisy = (total: number): Handler => json({ id: n++, at: Math.random(), total });
    const handler =
      (total: number): Handler =>
      (request, response) =>
        noisy(total)(request, response);
    const { found, summary } = await compare(handler(1), handler(2));
    expect(found).toEqual(['value body.total']);
    expect(summary).toMatchObject({ same: 0, different: 1, noise: 2 });
  });

  it('leaves out the address of each version, as in links to itself', async () => {
    const handler =
      (last: string): Handler =>
      (request, response) => {
        const { host } = request.headers;
        const links = [`http://${host}/1`, `http://${host}/${last}`];
        response.setHeader('location', `http://${host}/1`);
        json({ self: `http://${host}`, links })(request, response);
      };
    const headers = ['--compare', 'headers'];
    expect(await compare(handler('2'), handler('2'), headers)).toMatchObject({ code: 0 });
    const { found, first, lines } = await compare(handler('2'), handler('3'), headers);
    expect(found).toEqual(['value body.links.*']);
    expect(lines[0]).toMatchObject({ candidate: `${first.url}/3` });
  });

  it('leaves out an address that both versions name', async () => {
    const handler =
      (ok: boolean): Handler =>
      (request, response) =>
        json({ named: request.headers['x-candidate'], ok })(request, response);
    const [first, second] = [await version(handler(true)), await version(handler(false))];
    const { host } = new URL(second.url);
    const folder = folderWith({
      got: captureFile({ path: '/', headers: { 'x-candidate': host } }),
    });
    const urls = ['--url', first.url, '--candidate', second.url];
    const { stdout } = await inProcess(['replay', join(folder, 'got'), ...urls, '--json']);
    expect(stdout.match(/"at":"[^"]*"/g)).toEqual(['"at":"body.ok"']);
  });

  it('takes a counter that both versions share as noise, however slowly it goes on', async () => {
    let n = 0;
    // As a clock that strikes between the first request and the one to the candidate, or not at all.
    const shared: Handler = (_, response) =>
      json({ at: n++ === 0 ? 0 : 1 })({} as HandledRequest, response);
    const { code, summary } = await compare(shared, shared);
    expect([code, summary]).toMatchObject([0, { same: 1, noise: 1 }]);
  });

  it('takes back a difference that a later request shows to be noise', async () => {
    let n = 0;
    const sometimes: Handler = (request, response) =>
      json({ retries: request.url.endsWith('/9') ? n++ : 0 })(request, response);
    const { code, summary } = await compare(
      sometimes,
      json({ retries: 5 }),
      ['--concurrency', '1'],
      captureFile({ path: '/n/1' }, { path: '/n/2' }, { path: '/n/9' }),
    );
    expect(code).toBe(0);
    expect(summary).toMatchObject({ requests: 3, same: 3, noise: 1 });
  });

  describe('with a difference in one of twenty requests', () => {
    const captures = captureFile(...Array.from({ length: 20 }, (_, i) => ({ path: `/n/${i}` })));
    /** Does something else for one of them, so often. */
    const rarely = (times: number, other: unknown = { slow: true }): Handler => {
      let left = times;
      return (request, response) =>
        json(request.url === '/n/7' && left-- > 0 ? other : { slow: null })(request, response);
    };
    const always = json({ slow: null });

    it('leaves it out where the candidate does not repeat it', async () => {
      const { code, summary, second, stderr } = await compare(always, rarely(1), [], captures);
      expect([code, summary]).toMatchObject([0, { same: 20, different: 0, noise: 1 }]);
      expect(second.requests.slice(20).map(({ url }) => url)).toEqual(['/n/7']);
      expect(stderr).toContain('rare differences at 1 place were left out');
    });

    it('finds it where the candidate repeats it', async () => {
      const { code, found, first, second } = await compare(always, rarely(9), [], captures);
      expect([code, found]).toEqual([1, ['type body.slow']]);
      expect([first.requests.length, second.requests.length]).toEqual([40, 21]);
    });

    it('finds it where the repeat has another status', async () => {
      let n = 0;
      const conflict: Handler = (request, response) => {
        if (request.url !== '/n/7') always(request, response);
        else if (n++ === 0) json({ slow: 1 })(request, response);
        else json({}, 409)(request, response);
      };
      const { found } = await compare(always, conflict, [], captures);
      expect(found).toEqual(['type body.slow']);
    });

    it.each([
      ['is missing', { other: 1 }],
      ['is below something else', 'busy'],
    ])('finds it where its place %s in the repeat', async (_, other) => {
      let n = 0;
      const handler: Handler = (request, response) => {
        const isOther = request.url === '/n/7';
        json(isOther ? (n++ === 0 ? { slow: 1 } : other) : { slow: null })(request, response);
      };
      const { found } = await compare(always, handler, [], captures);
      expect(found).toEqual(['type body.slow']);
    });

    it('leaves it out also where the candidate has another status each time', async () => {
      let left = 1;
      const candidate: Handler = (request, response) =>
        json({ slow: request.url === '/n/7' && left-- > 0 ? true : null }, 202)(request, response);
      const { found } = await compare(always, candidate, [], captures);
      expect(found).toEqual(['status status']);
    });

    describe('in a group of few requests', () => {
      const few = captureFile({ path: '/n/6' }, { path: '/n/7' }, { path: '/n/8' });

      it.each([
        ['does not repeat it', 1],
        ['repeats it once by chance', 2],
        ['repeats it twice by chance', 3],
      ])('leaves it out where the candidate %s', async (_, times) => {
        const { code, summary, second, stderr } = await compare(always, rarely(times), [], few);
        expect([code, summary]).toMatchObject([0, { same: 3, different: 0, noise: 1 }]);
        expect(second.requests.slice(3).map(({ url }) => url)).toEqual(
          Array.from({ length: times }, () => '/n/7'),
        );
        expect(stderr).toContain('rare differences at 1 place were left out');
      });

      it('finds it where the candidate repeats it three times', async () => {
        const { code, lines, first, second } = await compare(always, rarely(9), [], few);
        expect(code).toBe(1);
        expect(lines).toMatchObject([{ kind: 'type', at: 'body.slow', count: 1 }, { same: 2 }]);
        expect([first.requests.length, second.requests.length]).toEqual([8, 6]);
      });

      it('leaves it out where the first version did something rare twice', async () => {
        const { code, summary, first, second } = await compare(rarely(2), always, [], few);
        expect([code, summary]).toMatchObject([0, { same: 3, noise: 1 }]);
        expect([first.requests.length, second.requests.length]).toEqual([7, 5]);
      });

      it('finds it where the status of both is another one in repeats', async () => {
        const deleting = (value: unknown, times: number): Handler => {
          let left = times;
          return (request, response) => {
            if (request.url !== '/n/7') always(request, response);
            else if (left-- > 0) json(value)(request, response);
            else json({}, 404)(request, response);
          };
        };
        const versions = [deleting({ total: 1 }, 2), deleting({ total: 2 }, 1)] as const;
        const { found } = await compare(...versions, [], few);
        expect(found).toEqual(['value body.total']);
      });

      it('repeats each request once where the difference is in three of them', async () => {
        const { lines, first, second } = await compare(always, json({ slow: true }), [], few);
        expect(lines[0]).toMatchObject({ at: 'body.slow', count: 3 });
        expect([first.requests.length, second.requests.length]).toEqual([6, 6]);
      });

      it('finds it, and repeats it no more, where the candidate does not answer then', async () => {
        let n = 0;
        const candidate: Handler = (request, response) => {
          if (request.url !== '/n/7') always(request, response);
          else if (n++ === 0) json({ slow: true })(request, response);
          else
            response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy());
        };
        const { found } = await compare(always, candidate, [], few);
        expect([found, n]).toEqual([['type body.slow'], 2]);
      });
    });

    it('does not repeat it with --baseline 1', async () => {
      const once = ['--baseline', '1'];
      const { code, second } = await compare(always, rarely(1), once, captures);
      expect([code, second.requests.length]).toEqual([1, 20]);
    });
  });

  it('learns noise together where paths differ in names that are ids by their number', async () => {
    const letters = 'abcdefghijk'.split('');
    const names = letters.flatMap((one) => letters.map((other) => `${one}${other}`));
    const captures = captureFile(...names.map((name) => ({ path: `/users/${name}/posts` })));
    let n = 0;
    // It is seen to vary at one path, and the candidate at another one.
    const handler =
      (path: string): Handler =>
      (request, response) =>
        json({ last: request.url === path ? n++ : 0 })(request, response);
    const versions = [handler('/users/bc/posts'), handler('/users/cd/posts')] as const;
    const { code, summary } = await compare(...versions, [], captures);
    expect([code, summary]).toMatchObject([0, { same: 121, noise: 1 }]);
  });

  it('finds what differs in JSON bodies beside one text that is noise', async () => {
    let n = 0;
    const handler =
      (total: number): Handler =>
      (request, response) => {
        if (request.body === '{}') {
          json({ total })(request, response);
          return;
        }
        return void response.writeHead(400, { 'content-type': 'text/plain' }).end(`no ${n++}`);
      };
    const captures = captureFile({ body: 'bad' }, ...Array.from({ length: 20 }, () => ({})));
    const { code, found, summary, stderr } = await compare(handler(1), handler(2), [], captures);
    expect([code, found]).toEqual([1, ['value body.total']]);
    expect(summary).toMatchObject({ same: 1, different: 20, noise: 1 });
    expect(stderr).not.toContain('left out as noise');
  });

  it('says when all bodies of a group were left out as noise', async () => {
    let n = 0;
    const texts: Handler = (_, response) => response.end(`page ${n++}`);
    const { code, stderr } = await compare(texts, texts, [], captureFile({}, {}, { path: '/b' }));
    expect(code).toBe(0);
    expect(stderr).toContain('all bodies of POST /hook were left out as noise');
    expect(stderr).toContain('all bodies of POST /b were left out as noise');
    const counter: Handler = (_, response) => json(n++)({} as HandledRequest, response);
    const scalars = await compare(counter, counter);
    expect(scalars.stderr).toContain('all bodies of POST /orders/{id} were left out as noise');
  });

  it.each<[string, number[], number[], string[]]>([
    ['one of those that the first version has', [200, 409], [409], []],
    ['another one', [200, 409], [500], ['status status']],
  ])('finds a status beside a random one unless it is %s', async (_, ones, others, expected) => {
    const inTurn = (statuses: number[], n = 0): Handler => {
      return (request, response) => json({}, statuses[n++ % statuses.length])(request, response);
    };
    const { found } = await compare(inTurn(ones), inTurn(others));
    expect(found).toEqual(expected);
  });

  it('finds a content type that a random one does not explain', async () => {
    let n = 0;
    const typed =
      (type: () => string): Handler =>
      (_, response) =>
        void response.writeHead(200, { 'content-type': type() }).end('{}');
    const varied = typed(() => (n++ % 2 === 0 ? 'text/plain' : 'text/x-plain'));
    const { found } = await compare(
      varied,
      typed(() => 'text/html'),
    );
    expect(found).toEqual(['content-type content-type']);
    const parts = typed(() => `multipart/mixed; boundary=b${n++}`);
    expect((await compare(parts, parts)).found).toEqual([]);
  });

  it('with --baseline 1 takes everything that differs', async () => {
    let n = 0;
    const handler: Handler = (request, response) => json({ n: n++ })(request, response);
    const { code, found, first, stderr } = await compare(handler, handler, ['--baseline', '1']);
    expect([code, found, first.requests.length]).toEqual([1, ['value body.n'], 1]);
    expect(stderr).toContain('each request takes effect twice: once at');
  });

  it.each<[string, Handler, Handler, string[], string[]]>([
    ['a status', json({ a: 1 }), json({ a: 1 }, 201), [], ['status status']],
    [
      'another class of status alone',
      json({ a: 1 }),
      json({ error: 1 }, 500),
      [],
      ['status status'],
    ],
    [
      'a redirect, which is not followed',
      json({}),
      (_, r) => r.writeHead(302, { location: '/x' }).end(),
      [],
      ['status status'],
    ],
    [
      'JSON that only one returns',
      json({ a: 1 }),
      (_, r) => r.end('<html>'),
      [],
      ['content-type content-type', 'body body'],
    ],
    [
      'a charset',
      json({}),
      (_, r) => r.setHeader('content-type', 'application/json; charset=utf-8').end('{}'),
      [],
      ['content-type content-type'],
    ],
    [
      'bytes',
      (_, r) => r.end(Buffer.from([0xff, 1])),
      (_, r) => r.end(Buffer.from([0xff, 2])),
      [],
      ['body body'],
    ],
    [
      'JSON behind a byte order mark, by its values',
      json('\ufeff{"a":1}'),
      json('\ufeff{"a":2}'),
      [],
      ['value body.a'],
    ],
    ['an empty body', (_, r) => r.end('ok'), (_, r) => r.end(), [], ['body body']],
    ['the order of an array', json([1, 2]), json([2, 1]), [], ['order body']],
    ['an ignored member', json({ a: 1 }), json({ a: 2 }), ['--ignore', 'body.a'], []],
    ['an ignored status', json({}), json({}, 202), ['--ignore', 'status'], []],
    [
      'headers, without --compare',
      json({}),
      (q, r) => json({})(q, r.setHeader('etag', 'b')),
      [],
      [],
    ],
    [
      'headers',
      (q, r) => json({})(q, r.setHeader('etag', 'a')),
      (q, r) => json({})(q, r.setHeader('etag', 'b')),
      ['--compare', 'headers'],
      ['value header.etag'],
    ],
    [
      'a header that only one has',
      json({}),
      (q, r) => json({})(q, r.setHeader('etag', 'b')),
      ['--compare', 'headers'],
      ['added header.etag'],
    ],
    [
      'an ignored header',
      json({}),
      (q, r) => json({})(q, r.setHeader('etag', 'b')),
      ['--compare', 'headers', '--ignore', 'header.ETag'],
      [],
    ],
    [
      'compression',
      json({ a: 1 }),
      (_, r) =>
        r
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(gzipSync('{"a":1}')),
      [],
      [],
    ],
  ])('compares %s', async (_, baseline, candidate, args, expected) => {
    const { code, found } = await compare(baseline, candidate, args);
    expect(found).toEqual(expected);
    expect(code).toBe(expected.length > 0 ? 1 : 0);
  });

  it('names a byte order mark that only one returns, whatever else is noise', async () => {
    let n = 0;
    const plain: Handler = (request, response) => json(`{"id":${n++}}`)(request, response);
    const marked: Handler = (request, response) => json(`\ufeff{"id":${n++}}`)(request, response);
    const { code, found, lines } = await compare(plain, marked);
    expect([code, found]).toEqual([1, ['body body']]);
    expect(lines[0]).toMatchObject({
      baseline: '{"id":0}',
      candidate: '(byte order mark){"id":1}',
    });
    expect((await compare(marked, plain)).found).toEqual(['body body']);
  });

  it('says which --ignore left nothing out', async () => {
    const captures = captureFile({ path: '/a' }, { path: '/b' });
    const args = ['body.items.*.id', 'body.items', 'body.itmes.*.id', 'status', 'content-type'];
    const ran = await compare(
      json('{"items":[{"id":1,"n":[1,2]}],"itmes":[{"id":1}]}'),
      json('{"items":[{"id":2,"n":[1,3]}],"itmes":[{"id":1}]}', 201),
      args.flatMap((place) => ['--ignore', place]),
      captures,
    );
    expect([ran.code, ran.found]).toEqual([0, []]);
    const notes = ran.stderr.split('\n').filter((line) => line.startsWith('--ignore'));
    const without = 'left nothing out; no difference was found there';
    expect(notes).toEqual([
      `--ignore body.itmes.*.id ${without}`,
      `--ignore content-type ${without}`,
    ]);
  });

  it.each(['body.items.*.id', 'body.items.0', 'body.items.*.of.*.at'])(
    'knows what --ignore %s leaves out of elements that are equal otherwise',
    async (place) => {
      const items = (n: number) => `{"items":[{"id":${n},"n":1,"of":[{"at":${n}}]}]}`;
      const both = ['body.items.*.id', 'body.items.*.of.*.at'].filter((one) => one !== place);
      const ran = await compare(
        json(items(1)),
        json(items(2)),
        [place, ...both].flatMap((one) => ['--ignore', one]),
      );
      expect([ran.code, ran.found]).toEqual([0, []]);
      expect(ran.stderr).not.toContain(`--ignore ${place} left nothing out`);
    },
  );

  it('is incomplete where no request was compared', async () => {
    const ran = await compare(
      json({}),
      json({}),
      ['--paths', '/none'],
      captureFile({ path: '/a' }),
    );
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('no request was compared');
  });

  it('says nothing of an --ignore below another one that left something out', async () => {
    const args = ['--ignore', 'body', '--ignore', 'body.total'];
    const { code, stderr } = await compare(json({ total: 1 }), json({ total: 2 }), args);
    expect(code).toBe(0);
    expect(stderr).not.toContain('--ignore');
  });

  it('says which --ignore only names elements that are alike', async () => {
    const { found, stderr } = await compare(
      json('[{"id":1,"n":1},{"id":2,"n":2}]'),
      json('[{"id":1,"n":1},{"id":2,"n":3}]'),
      ['--ignore', 'body.*.id'],
    );
    expect(found).toEqual(['value body.*.n']);
    expect(stderr).toContain('--ignore body.*.id left nothing out');
  });

  it('compares versions that answer only with errors', async () => {
    const { code, summary } = await compare(json({}, 500), json({}, 404));
    expect([code, summary]).toMatchObject([1, { requests: 1, different: 1, failed: 0 }]);
  });

  it('says that both versions refused each request, and so compared nothing else', async () => {
    const refused = 'both versions refused each request (401 or 403); sign them anew';
    expect((await compare(json({}, 401), json({}, 403))).stderr).toContain(refused);
    const two = one + captureFile({ path: '/open' });
    const some: Handler = (request, response) =>
      json({}, request.url === '/open' ? 200 : 401)(request, response);
    expect((await compare(some, some, [], two)).stderr).not.toContain(refused);
  });
});
