import type { JSX } from 'preact';
import { Detail } from '../detail/detail.js';
import { FaultDialog } from '../faults/fault-dialog.js';
import { CompareDialog } from '../compare/compare-dialog.js';
import { EditDialog } from '../edit/edit-dialog.js';
import { Toolbar } from '../filter/toolbar.js';
import { RequestList } from '../list/request-list.js';
import { Charts } from '../charts/charts.js';
import { ReplayDialog } from '../replay/replay-dialog.js';
import { Icon } from '../../shared/controls/icon.js';
import { PageFrame } from '../../shared/frame/page-frame.js';
import { useInspector } from '../view/inspector.js';
import type { DialogName } from '../view/inspector.js';
import { ClearDialog } from './clear-dialog.js';
import { Empty } from './empty.js';
import { Header } from './header.js';
import { Help } from './help.js';
import { keys } from './keys.js';

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
      moreActions={<CompareButton />}
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
