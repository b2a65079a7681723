import { startPage } from '../shared/frame/start-page.js';
import { App } from './page/app.js';
import { Service } from './receive/service.js';
import { Operations } from './view/operations.js';

await startPage(
  async () => {
    const service = new Service();
    const operations = new Operations(service, await service.setup());
    document.title = `evfwd serve · ${location.host}`;
    operations.start();
    return operations;
  },
  <App />,
);
