import { useEffect, useState } from 'preact/hooks';
import type { DestinationState, UserQueue } from '../../../src/api/serve.js';
import { countText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { useNow, useOperations } from '../view/operations.js';
import { behindText } from './behind.js';

const everyMs = 5_000;

interface Listed {
  readonly destination: string;
  readonly queues: readonly UserQueue[];
}

/** The users of ordered destinations whose events wait, and what for; nothing while there are none. */
export function UserQueues({
  destinations,
}: {
  readonly destinations: readonly DestinationState[];
}) {
  const now = useNow();
  const names = destinations.filter(({ ordered }) => ordered).map(({ name }) => name);
  const listed = useQueues(names);
  const rows = listed.flatMap(({ destination, queues }) =>
    queues.map((queue, index) => ({ destination, queue, key: `${destination} ${index}` })),
  );
  if (rows.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="users-title">
      <h2 class="sr-only" id="users-title">
        Users who wait
      </h2>
      <table class="users">
        <thead>
          <tr>
            <th scope="col">User</th>
            <th scope="col">Destination</th>
            <th scope="col">Waits for</th>
            <th scope="col">Events behind it</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ destination, queue, key }) => (
            <tr key={key}>
              <th scope="row" title={queue.first?.user ?? undefined}>
                <Received text={queue.first?.user ?? 'unknown'} />
              </th>
              <td>
                <Received text={destination} />
              </td>
              <td title={behindText(queue, now)}>
                <Received text={behindText(queue, now)} />
              </td>
              <td>{countText(queue.waiting)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Kept up to date while the page is in sight. */
function useQueues(names: readonly string[]): readonly Listed[] {
  const { service } = useOperations();
  const [listed, setListed] = useState<readonly Listed[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      if (document.hidden) return;
      try {
        const asked = names.map(async (destination) => {
          const { users } = await service.userQueues(destination, abort.signal);
          return { destination, queues: users };
        });
        setListed(await Promise.all(asked));
      } catch {
        // The page says so when the service is away.
      }
    };
    if (names.length === 0) {
      setListed([]);
      return undefined;
    }
    void load();
    const timer = setInterval(() => void load(), everyMs);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [names.join('\n')]);
  return listed;
}
