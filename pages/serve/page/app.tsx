import { useState } from 'preact/hooks';
import type { Overview as Known, RawSourceState } from '../../../src/api/serve.js';
import { TextField } from '../../shared/controls/fields.js';
import { Command, EmptyPage } from '../../shared/frame/empty-page.js';
import { PageFrame } from '../../shared/frame/page-frame.js';
import { RefusedError } from '../../shared/receive/call.js';
import { countOf } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { Detail } from '../detail/detail.js';
import { OpenDialog } from '../dialogs/open-dialog.js';
import { Toolbar } from '../filter/toolbar.js';
import { OutcomeList } from '../list/outcome-list.js';
import { clusterWarningsOf } from '../overview/instances.js';
import { Overview } from '../overview/overview.js';
import { SearchSummary } from '../search/search-summary.js';
import { useOperations } from '../view/operations.js';
import { Header } from './header.js';
import { keys } from './keys.js';
import { Tabs } from './tabs.js';

/** The whole page. */
export function App() {
  const operations = useOperations();
  const { value: opened } = operations.opened;
  const { value: isLocked } = operations.isLocked;
  if (isLocked) return <TokenForm />;
  return (
    <PageFrame
      page={operations}
      keys={keys}
      rows="events"
      noun="outcome"
      arrived={() => operations.log.arrived}
      server={{ name: 'service', command: 'evfwd serve' }}
      header={<Header />}
      banners={<ServiceErrors />}
      action={{ title: 'Redeliver', act: () => operations.redeliverSelected() }}
      dialog={<OpenDialog />}
    >
      <Events />
      {opened && <Detail key={opened.id} outcome={opened} />}
    </PageFrame>
  );
}

function Events() {
  const operations = useOperations();
  const { value: overview } = operations.overview;
  const { value: showsOverview } = operations.showsOverview;
  const { value: hidesOverview } = operations.hidesOverview;
  if (!overview) return null;
  if (operations.log.size === 0 && isUntouched(overview)) {
    return (
      <div class="requests shows-overview untouched">
        <Overview overview={overview} />
        <Empty overview={overview} />
      </div>
    );
  }
  return (
    <div
      class={`requests${showsOverview ? ' shows-overview' : ''}${hidesOverview ? ' hides-overview' : ''}`}
    >
      <Tabs />
      <Overview overview={overview} />
      <Toolbar />
      <SearchSummary />
      <OutcomeList />
    </div>
  );
}

/** The errors of the service itself, if there are any. */
function ServiceErrors() {
  const { value: overview } = useOperations().overview;
  const state = overview?.stateError ?? null;
  const damaged = overview?.damagedEvents ?? 0;
  const configuration = overview?.configurationError ?? null;
  return (
    <div role="alert">
      {state !== null && (
        <p class="banner">
          <strong>Events are not accepted, clients get 503:</strong> <Received text={state} />
        </p>
      )}
      {damaged > 0 && (
        <p class="banner">
          <strong>{countOf(damaged, 'waiting event')} cannot be read:</strong> set aside in the
          state, and not sent; the others are.
        </p>
      )}
      {overview &&
        clusterWarningsOf(overview).map(({ title, text }) => (
          <p class="banner" key={title}>
            <strong>{title}:</strong> <Received text={text} />
          </p>
        ))}
      {configuration !== null && (
        <p class="banner">
          <strong>The newer configuration is not in use:</strong> <Received text={configuration} />
        </p>
      )}
    </div>
  );
}

/** Whether the service has never received anything. */
function isUntouched({ hasReceived, refused }: Known): boolean {
  return refused.length === 0 && !hasReceived;
}

/** How to point a client or a sender at this service, until the first event arrives. */
function Empty({ overview }: { readonly overview: Known }) {
  const { sources, destinations } = overview;
  const source = sources.find(({ enabled }) => enabled);
  return (
    <EmptyPage title={`Waiting for the first ${source?.raw ? 'request' : 'event'}`}>
      {source?.raw ? (
        <PointSender name={source.name} raw={source.raw} />
      ) : (
        <PointClient name={source?.name ?? 'a source'} />
      )}
      {destinations.length === 0 && (
        <p class="callout bad">
          The configuration has no destination: events are accepted but not forwarded.
        </p>
      )}
    </EmptyPage>
  );
}

function PointClient({ name }: { readonly name: string }) {
  const { origin } = location;
  const key = `<write key of ${name}>`;
  return (
    <>
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
    </>
  );
}

interface PointSenderProps {
  readonly name: string;
  readonly raw: RawSourceState;
}

function PointSender({ name, raw: { path, scheme, verified } }: PointSenderProps) {
  const url = location.origin + path.replace(/\/\*$/, '');
  const file = `<file with the secret of ${name}>`;
  const signing = scheme === 'auto' ? '' : `--scheme ${scheme} `;
  return (
    <>
      <p>
        The sender of <Received text={name} /> posts to <code>{url}</code>, or to this path at the
        public URL of this service. Requests appear here as soon as they arrive.
      </p>
      <Command
        title="With evfwd"
        marked={file}
        command={[
          `echo '{"test":true}' | evfwd send --raw - \\`,
          `  --url ${url}${verified ? ` \\\n  ${signing}--secret-file '${file}'` : ''}`,
        ].join('\n')}
      />
    </>
  );
}

/** Asks for the token of `--admin-token-file`. */
function TokenForm() {
  const operations = useOperations();
  const { value: wasRefused } = operations.wasRefused;
  const [token, setToken] = useState('');
  const [error, setError] = useState(
    wasRefused ? 'The token of this tab is no longer valid.' : undefined,
  );
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await operations.unlock(token.trim());
    } catch (failure) {
      const isWrong = failure instanceof RefusedError && failure.status === 401;
      setError(isWrong ? 'The token is not valid.' : (failure as Error).message);
    }
  };
  return (
    <main class="failure token">
      <h1>evfwd serve</h1>
      <p>
        This service was started with <code>--admin-token-file</code>: enter the token from that
        file. It is kept in this tab until you close it.
      </p>
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          label="Token"
          type="password"
          name="token"
          autofocus
          value={token}
          error={error}
          onText={setToken}
        />
        <button class="button primary">Open</button>
      </form>
    </main>
  );
}
