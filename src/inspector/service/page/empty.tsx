import type { Overview } from '../../service-api.js';
import { Command } from '../../shared/controls/command.js';
import { EmptyPage } from '../../shared/frame/empty-page.js';

/** Whether nothing has ever come, as far as the service knows. */
export function isUntouched({ hasReceived, refused }: Overview): boolean {
  return refused.length === 0 && !hasReceived;
}

/** For someone who is here for the first time: how to point a client at this service. */
export function Empty({ overview }: { readonly overview: Overview }) {
  const { sources, destinations } = overview;
  const source = sources.find(({ enabled }) => enabled)?.name ?? 'a source';
  const key = `<write key of ${source}>`;
  const { origin } = location;
  return (
    <EmptyPage title="Waiting for the first event">
      <p>
        Point an analytics client at <code>{origin}</code>, with the write key of a source as the
        configuration file has it. Events are here as soon as they arrive.
      </p>
      <Command
        title="With curl"
        marked={key}
        command={[
          `curl ${origin}/v1/track \\`,
          `  -u '${key}:' \\`,
          `  -H 'Content-Type: application/json' \\`,
          `  -d '{"userId":"u1","event":"Signed Up"}'`,
        ].join('\n')}
      />
      <Command
        title="With evfwd"
        marked={key}
        command={`evfwd send track --event 'Signed Up' --user-id u1 --endpoint ${origin} --write-key '${key}'`}
      />
      {destinations.length === 0 && (
        <p class="callout bad">
          The configuration has no destination: events are taken, and go nowhere.
        </p>
      )}
    </EmptyPage>
  );
}
