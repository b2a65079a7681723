/** Said where a run goes on with other credentials than it began with. */
export const otherCredentials =
  'the shared secret or a header value is another one than before: the rest is sent with those of now (--fresh starts over)';
