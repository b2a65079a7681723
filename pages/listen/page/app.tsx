import type { JSX } from 'preact';
import { apiPrefix } from '../../../src/api/listen.js';
import { Dialog, useAction } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import { Icon } from '../../shared/controls/icon.js';
import { Command, EmptyPage } from '../../shared/frame/empty-page.js';
import { Header as FrameHeader, HeaderButton } from '../../shared/frame/header.js';
import { PageFrame } from '../../shared/frame/page-frame.js';
import { countOf, countText } from '../../shared/text/format.js';
import { Charts } from '../charts/charts.js';
import { CompareDialog } from '../compare/compare-dialog.js';
import { Detail } from '../detail/detail.js';
import { EditDialog } from '../edit/edit-dialog.js';
import { ExportMenu, ExportPageButton } from '../export/export.js';
import { FaultDialog } from '../faults/fault-dialog.js';
import { Toolbar } from '../filter/toolbar.js';
import { RequestList } from '../list/request-list.js';
import { ReplayDialog } from '../replay/replay-dialog.js';
import { type DialogName, useInspector } from '../view/inspector.js';
import { Help, keys } from './keys.js';

const dialogs: Readonly<Record<DialogName, () => JSX.Element | null>> = {
  faults: FaultDialog,
  replay: ReplayDialog,
  edit: EditDialog,
  compare: CompareDialog,
  clear: ClearDialog,
  help: Help,
};

/** The whole page. */
export function App() {
  const inspector = useInspector();
  const { value: dialog } = inspector.dialog;
  const { value: opened } = inspector.opened;
  const OpenDialog = dialog && dialogs[dialog.name];
  return (
    <PageFrame
      page={inspector}
      keys={keys}
      rows="requests"
      noun="request"
      arrived={() => inspector.log.appended}
      server={{ name: 'receiver', command: 'evfwd listen' }}
      header={<Header />}
      action={{ title: 'Replay', act: () => inspector.show({ name: 'replay' }) }}
      moreActions={
        <>
          <CompareButton />
          <ExportPageButton requests={[...inspector.selected.value.values()]} />
        </>
      }
      dialog={OpenDialog && <OpenDialog />}
    >
      <Requests />
      {opened && <Detail key={opened.sequence} row={opened} />}
    </PageFrame>
  );
}

/** Offered when there are two requests to compare. */
function CompareButton() {
  const inspector = useInspector();
  const count = inspector.selected.value.size;
  return (
    <button
      class="button"
      disabled={count !== 2}
      title={count === 2 ? 'Compare (d)' : 'Select two requests to compare them'}
      onClick={() => inspector.show({ name: 'compare' })}
    >
      <Icon name="compare" />
      Compare
    </button>
  );
}

function Requests() {
  const inspector = useInspector();
  const isConnecting = inspector.connection.value === 'connecting';
  const { value: isPaused } = inspector.isPaused;
  const { value: showsCharts } = inspector.showsCharts;
  if (inspector.log.kept.length === 0 && !isPaused) return isConnecting ? null : <Empty />;
  return (
    <div class="requests">
      {showsCharts && <Charts />}
      <Toolbar />
      <RequestList />
    </div>
  );
}

/** What can be done with all requests. */
function Header() {
  const inspector = useInspector();
  const url = inspector.setup.value.url;
  const { value: showsCharts } = inspector.showsCharts;
  const faults = inspector.faults.value?.faults.length ?? 0;
  return (
    <FrameHeader command="listen" url={url}>
      <HeaderButton icon="bolt" title="Faults" onClick={() => inspector.show({ name: 'faults' })}>
        {faults > 0 && <span class="badge">{countText(faults)}</span>}
      </HeaderButton>
      <ExportMenu />
      <HeaderButton icon="trash" title="Clear" onClick={() => inspector.show({ name: 'clear' })} />
      <button
        class="icon-button"
        aria-label="Timeline and latency"
        aria-pressed={showsCharts}
        title="Timeline and latency (c)"
        onClick={() => inspector.toggleCharts()}
      >
        <Icon name="chart" />
      </button>
    </FrameHeader>
  );
}

/** What to run before the first request has arrived. */
function Empty() {
  const { url, hasSecret } = useInspector().setup.value;
  const hook = new URL('/hook', url).href;
  const secret = hasSecret ? ' --secret-file secret.txt' : '';
  return (
    <EmptyPage title="Waiting for the first request">
      <p>
        Send a webhook to <code>{url}</code>: any method, any path. It appears here as soon as it
        arrives.
      </p>
      <Command
        title="With curl"
        command={[
          `curl ${hook} \\`,
          `  -H 'Content-Type: application/json' \\`,
          // A newline in JSON is space.
          `  -d '{"type":"track","userId":"u1",`,
          `       "event":"Signed Up"}'`,
        ].join('\n')}
      />
      <Command
        title={hasSecret ? 'With evfwd, signed' : 'With evfwd'}
        command={[
          `evfwd send track --event 'Signed Up' \\`,
          `  --user-id u1${secret} \\`,
          `  --url ${hook}`,
        ].join('\n')}
      />
      {hasSecret && (
        <p class="quiet">
          <code>secret.txt</code> must contain the secret of this receiver.
        </p>
      )}
    </EmptyPage>
  );
}

/** Asks for confirmation before all kept requests are deleted. */
function ClearDialog() {
  const inspector = useInspector();
  const { recordsTo } = inspector.setup.value;
  const requests = inspector.stats.value?.requests ?? 0;
  const { error, run } = useAction(async () => {
    await inspector.clear();
    inspector.closeDialog();
  });
  return (
    <Dialog title="Clear all requests?">
      <p>
        This deletes {countOf(requests, 'request')} from the receiver, for everyone who uses it, and
        resets its counters.{' '}
        {recordsTo === null ? (
          <>Requests are not recorded to a file: export first what you want to keep.</>
        ) : (
          <>
            The recording in <code>{recordsTo}</code> is kept.
          </>
        )}
      </p>
      <FieldError error={error} />
      <div class="dialog-actions">
        <a class="button" href={`${apiPrefix}/requests.ndjson`} download="requests.ndjson">
          Export
        </a>
        <button class="button" autofocus onClick={() => inspector.closeDialog()}>
          Cancel
        </button>
        <button class="button danger" onClick={run}>
          Clear
        </button>
      </div>
    </Dialog>
  );
}
