import { UsageError } from '../../errors.js';
import { isOwnHost } from '../../net/own-host.js';
import { forwardTarget } from './forward-target.js';

/**
 * Refuses a URL that leads to this receiver, whatever name it uses for this machine.
 *
 * @param url was checked with `checkUrl`
 * @param ownHost the address or name that the receiver listens on
 * @param ownPort 0, while it is not known, is never refused
 * @throws UsageError for a loop
 */
export async function refuseLoop(url: string, ownHost: string, ownPort: number): Promise<void> {
  const { hostname, port, shown } = forwardTarget(url);
  if (port !== ownPort || !(await isOwnHost(hostname, ownHost))) return;
  throw new UsageError(
    `--forward ${shown} is this receiver itself, which would be a loop; use the URL of your app, or another --port`,
  );
}
