import type { Overview } from '../../../src/api/serve.js';
import { Command, EmptyPage } from '../../shared/frame/empty-page.js';

/** Whether the service has never received anything. */
export function isUntouched({ hasReceived, refused }: Overview): boolean {
  return refused.length === 0 && !hasReceived;
}

/** How to point a client at this service, until the first event arrives. */
export function Empty({ overview }: { readonly overview: Overview }) {
  const { sources, destinations } = overview;
  const source = sources.find(({ enabled }) => enabled)?.name ?? 'a source';
  const key = `<write key of ${source}>`;
  const { origin } = location;
  return (
    <EmptyPage title="Waiting for the first event">
      <p>
        Point an analytics client at <code>{origin}</code>, with the write key of a source from the
        configuration file. Events appear here as soon as they arrive.
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
        command={[
          `evfwd send track --event 'Signed Up' \\`,
          `  --user-id u1 --endpoint ${origin} \\`,
          `  --write-key '${key}'`,
        ].join('\n')}
      />
      {destinations.length === 0 && (
        <p class="callout bad">
          The configuration has no destination: events are accepted but not forwarded.
        </p>
      )}
    </EmptyPage>
  );
}
