import { describe, expect, it } from 'vitest';
import { collectorUrl } from '../../src/collector/endpoint.js';
import { UsageError } from '../../src/errors.js';

describe('the endpoint of a collector', () => {
  it.each([
    ['http://localhost:4500', 'http://localhost:4500/v1/batch'],
    ['https://collector.example.com/', 'https://collector.example.com/v1/batch'],
    ['https://collector.example.com?region=eu', 'https://collector.example.com/v1/batch?region=eu'],
    ['https://collector.example.com/v1/import/', 'https://collector.example.com/v1/import/'],
    ['https://collector.example.com/in?x=1', 'https://collector.example.com/in?x=1'],
  ])('%s is posted to as %s', (endpoint, expected) => {
    expect(collectorUrl(endpoint)).toBe(expected);
  });

  it.each(['', 'localhost:4500', 'ftp://example.com', 'https://user:pass@example.com'])(
    '%j is refused, by the name of the flag',
    (endpoint) => {
      expect(() => collectorUrl(endpoint, '--endpoint')).toThrow(UsageError);
      expect(() => collectorUrl(endpoint, '--endpoint')).toThrow(/^--endpoint: /);
    },
  );
});
