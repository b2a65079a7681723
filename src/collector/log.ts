import debug from 'debug';

/**
 * What the client core does, on standard error with `DEBUG=analytics`: numbers, types and statuses,
 * never a write key or a value of an event. Ask `log.enabled` first where it is called often.
 */
export const log = debug('analytics');
