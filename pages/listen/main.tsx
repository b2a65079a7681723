import { keepAddress, queryInAddress } from './page/address.js';
import { App } from './page/app.js';
import { Receiver } from './receive/receiver.js';
import { startPage } from '../shared/frame/start-page.js';
import { Inspector } from './view/inspector.js';

await startPage(
  async () => {
    const receiver = new Receiver();
    const setup = await receiver.setup();
    document.title = `evfwd listen · ${new URL(setup.url).host}`;
    const inspector = new Inspector(receiver, setup, queryInAddress());
    keepAddress(inspector);
    inspector.start();
    return inspector;
  },
  <App />,
);
