import { createHash } from 'node:crypto';
import { systemClock, type Clock } from '../../../clock.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import type { OpenState } from '../../core.js';
import type { Routing } from '../../types.js';
import { DeletedUsers } from '../deleted-users.js';
import { PostgresAlertStates } from './alert-states.js';
import { PostgresOutcomeLog } from './outcome-log.js';
import { PostgresStore } from './postgres-store.js';
import { PostgresSwitches } from './switches.js';

/** All times of a shared store are by the clock of the server: that of one instance may be wrong. */
export function serverClock({ database }: SharedStore): Clock {
  return { ...systemClock, now: () => Math.round(database.now()) };
}

/** Opens the state of a service in a store that instances share. It is closed with the service. */
export function openSharedState(shared: SharedStore): OpenState {
  return async (callbacks) => {
    const clock = serverClock(shared);
    const switches = new PostgresSwitches(shared);
    let deliveryLog: PostgresOutcomeLog | undefined;
    const store = new PostgresStore(shared, {
      ...callbacks,
      clock,
      onRefresh: () => {
        void switches.refresh().catch(() => undefined);
        void deliveryLog?.refresh().catch(() => undefined);
        callbacks.onRefresh?.();
      },
    });
    try {
      await store.start();
      await switches.start();
      const { parts, instances } = store;
      const log = (deliveryLog = new PostgresOutcomeLog({
        ...{ parts, clock, instance: instances.id },
        deletedUsers: new DeletedUsers(),
      }));
      await log.refresh();
      return {
        ...{ store, switches, deliveryLog: log, alerts: new PostgresAlertStates(shared) },
        cluster: {
          name: shared.schema,
          instances: () => instances.all,
          configure: (routing) => instances.configure(textOf(routing)),
          outcomesOfOthers: (after, limit) => log.ofOthers(after, limit),
        },
      };
    } catch (error) {
      await store.close();
      throw error;
    }
  };
}

const secretMembers = new Set(['writeKey', 'secrets', 'secret', 'headers', 'url', 'proxy', 'auth']);
/** What files of one machine have, which may differ from instance to instance. */
const ownMembers = new Set(['tls', 'certificateFiles', 'refusal', 'isHeldUp']);

/** The configuration as text; of secrets only whether they are the same, most likely. */
function textOf(routing: Routing): string {
  return JSON.stringify(routing, (name, value: unknown) =>
    ownMembers.has(name)
      ? undefined
      : secretMembers.has(name)
        ? checkOf(JSON.stringify(value))
        : value instanceof Map
          ? [...(value as ReadonlyMap<unknown, unknown>)]
          : value,
  );
}

function checkOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 4);
}
