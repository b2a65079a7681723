import debug from 'debug';

/**
 * The debug log of the client core, on standard error with `DEBUG=analytics`: numbers, types and statuses,
 * never a write key or a value of an event. Check `log.enabled` first where it is called often.
 */
export const log = debug('analytics');
