import { describe, expect, it } from 'vitest';
import { unexpectedReply } from '../../../src/importer/shared/reply-error.js';

describe('an answer that repeating would not change', () => {
  it.each([
    ['NOAUTH Authentication required.', 'does not accept the login any more; set EVFWD_QUEUE to '],
    ['WRONGPASS invalid username-password pair', 'does not accept the login any more; set '],
    ['NOPERM no rights', 'refused INFO: NOPERM no rights; check the rights of its user'],
  ])('is one line with the next step: %s', (reply, text) => {
    const error = Object.assign(new Error(reply), { command: { name: 'info' } });
    const { message, exitCode } = unexpectedReply('redis://h:6379/0', error);
    expect(message).toContain(`the queue server redis://h:6379/0 ${text}`);
    expect(exitCode).toBe(2);
  });
});
