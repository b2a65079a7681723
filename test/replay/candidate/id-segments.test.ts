import { expect, it } from 'vitest';
import { withoutRareSegments } from '../../../src/replay/candidate/id-segments.js';

const get = (path: string, requests = 1) => ({ method: 'GET', path, requests });
const words = (count: number) =>
  Array.from({ length: count }, (_, i) => `a${'abcdefghijklmnop'[i % 16]!.repeat(1 + i / 16)}`);

it('takes many segments in one place for ids', () => {
  const paths = withoutRareSegments(words(101).map((word) => get(`/users/${word}/posts`)));
  expect(new Set(paths)).toEqual(new Set(['/users/{id}/posts']));
});

it('takes those below them together', () => {
  const paths = withoutRareSegments(words(101).map((word) => get(`/users/${word}/posts/${word}`)));
  expect(new Set(paths)).toEqual(new Set(['/users/{id}/posts/{id}']));
});

it('takes a rare segment beside many requests with ids for one', () => {
  expect(withoutRareSegments([get('/users/{id}', 100), get('/users/ann')])).toEqual([
    '/users/{id}',
    '/users/{id}',
  ]);
});

it('keeps segments of ten requests, of another place, and where there are few', () => {
  const counts = [get('/users/{id}', 1000), get('/users/me', 10), get('/users/'), get('/about')];
  expect(withoutRareSegments(counts)).toEqual(counts.map(({ path }) => path));
  const few = words(100).map((word) => get(`/${word}`));
  expect(withoutRareSegments(few)).toEqual(few.map(({ path }) => path));
});
