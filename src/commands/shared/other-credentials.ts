/** The message when a run continues with other secrets or header values than before. */
export const otherCredentials =
  'the shared secret or a header value has changed since the last run: the rest is sent with the new values (--fresh starts over)';
