/** Nothing more is sent: the run was interrupted, or the endpoint has gone. */
export class SessionEnded extends Error {}
