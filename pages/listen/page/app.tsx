import type { JSX } from 'preact';
import { Detail } from '../detail/detail.js';
import { FaultDialog } from '../faults/fault-dialog.js';
import { Toolbar } from '../filter/toolbar.js';
import { RequestList } from '../list/request-list.js';
import { Charts } from '../charts/charts.js';
import { ReplayDialog } from '../replay/replay-dialog.js';
import { PageFrame } from '../../shared/frame/page-frame.js';
import { useInspector, useView } from '../view/use-view.js';
import type { DialogName } from '../view/view.js';
import { Address } from './address.js';
import { ClearDialog } from './clear-dialog.js';
import { Empty } from './empty.js';
import { Header } from './header.js';
import { Help } from './help.js';
import { keys } from './keys.js';

const dialogs: Readonly<Record<DialogName, () => JSX.Element>> = {
  faults: FaultDialog,
  replay: ReplayDialog,
  clear: ClearDialog,
  help: Help,
};

/** The whole page. */
export function App() {
  const inspector = useInspector();
  const dialog = useView((view) => view.dialog);
  const opened = useView((view) => view.opened);
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
      dialog={OpenDialog && <OpenDialog />}
    >
      <Address />
      <Requests />
      {opened && <Detail key={opened.sequence} row={opened} />}
    </PageFrame>
  );
}

function Requests() {
  const { log } = useInspector();
  useView((view) => view.version);
  const isConnecting = useView((view) => view.connection === 'connecting');
  const isPaused = useView((view) => view.isPaused);
  const showsCharts = useView((view) => view.showsCharts);
  if (log.kept.length === 0 && !isPaused) return isConnecting ? null : <Empty />;
  return (
    <div class="requests">
      {showsCharts && <Charts />}
      <Toolbar />
      <RequestList />
    </div>
  );
}
