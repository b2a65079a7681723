import { describe, expect, it } from 'vitest';
import { loadQueuePackages } from '../../../src/importer/shared/packages.js';
import { RedisServer } from '../../helpers/redis-server.js';
import { hasTool } from '../../helpers/tools.js';

describe.skipIf(!hasTool('redis-server'))('the packages of the queue', () => {
  it('reach a server', async () => {
    const server = await RedisServer.start();
    const { bullmq, Redis } = loadQueuePackages();
    const client = new Redis(server.url, { maxRetriesPerRequest: null });
    const queue = new bullmq.Queue('trial', { connection: client });
    await queue.add('job', {}, { jobId: 'a-0' });
    expect(await queue.getJobCounts('waiting')).toEqual({ waiting: 1 });
    await queue.close();
    await client.quit();
  });
});
