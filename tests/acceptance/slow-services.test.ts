import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { spawnServer, startBerth } from '../harness/berth.ts';
import { deploy, deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { needsEnforced } from '../harness/needs.ts';
import { greeter, nodeProject } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();

// These wait rather than work, so they wait side by side.
describe.concurrent('a service', () => {
  it('that listens after 30 s is deployed', { timeout: 90_000 }, async () => {
    verifies('deploy.traffic');
    const name = uniqueName('late');
    await deployed(berth, name, { files: greeter('old') });
    const late = nodeProject(`import { createServer } from 'node:http';
      setTimeout(() => createServer((request, response) => response.end('late')).listen(process.env.PORT, '0.0.0.0'), 30000);`);
    const deploying = deploy(berth, name, { files: late });
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    expect((await request(berth, name)).text).toBe('old');
    expect((await deploying).last.status).toBe('DONE');
    expect((await request(berth, name)).text).toBe('late');
  });

  it('that listens on another port ends in port_not_open within seconds, naming it', { timeout: 60_000 }, async () => {
    verifies('code.port-not-open');
    const files =
      nodeProject(`import { createServer } from 'node:http'; createServer().listen(0, '0.0.0.0', function () {
      console.log('on ' + this.address().port);
    });`);
    const { last, events } = await deploy(berth, uniqueName('elsewhere'), { files });
    expect(last).toMatchObject({ status: 'ERROR', code: 'port_not_open' });
    const port = /on (\d+)/.exec([...(last.logs ?? []), ...events.map((event) => event.message)].join('\n'))?.[1];
    expect(last.message).toContain(port ?? 'the port');
  });

  it('whose memory runs out is stopped, said to have, and started again', { timeout: 120_000 }, async (context) => {
    await needsEnforced(context, berth, 'memory-limit');
    const name = uniqueName('hungry');
    const hungry = nodeProject(`import { createServer } from 'node:http';
      const kept = [];
      createServer((request, response) => {
        if (request.url === '/eat') for (;;) kept.push(Buffer.alloc(16 * 2 ** 20, 1));
        response.end('fed');
      }).listen(process.env.PORT, '0.0.0.0');`);
    await deployed(berth, name, { files: hungry, fields: { memory: '128Mi' } });
    const eaten = await request(berth, name, '/eat').catch(() => undefined);
    if (eaten) expect(eaten.status).toBeGreaterThanOrEqual(500);
    // A request in the moment in which the kernel takes the program apart is cut off like the one before.
    await waitFor('it is started again', async () => (await request(berth, name)).text === 'fed');
    await waitFor('it is said', async () => {
      const { logs } = await readLogs(berth, name);
      return logs.some((entry) => /memory/i.test(entry.message) && entry.severity !== 'INFO');
    });
  });
});

describe('a service that never listens', () => {
  it('ends in start_timeout when the time for it is up', async () => {
    verifies('code.start-timeout', 'deploy.probe-bound');
    await using impatient = await startBerth({ env: { BERTH_START_TIMEOUT: '8' } });
    const before = performance.now();
    const silent = nodeProject(`console.log('thinking'); setInterval(() => {}, 1e6);`);
    const { last } = await deploy(impatient, uniqueName('never'), { files: silent });
    expect(last).toMatchObject({ status: 'ERROR', code: 'start_timeout' });
    expect(last.logs?.join('\n')).toContain('thinking');
    const tookMs = performance.now() - before;
    expect(tookMs).toBeGreaterThan(7_500);
    expect(tookMs).toBeLessThan(20_000);
  });

  it('has 240 s at most, and as long unless the operator says less', async () => {
    verifies('deploy.probe-bound');
    const settings = spawnServer(['--print-config'], {});
    expect(await text(settings.stdout as NodeJS.ReadableStream)).toContain('BERTH_START_TIMEOUT=240');
    const refused = spawnServer(['--start-timeout', '241'], {});
    expect(await text(refused.stderr as NodeJS.ReadableStream)).toContain('start-timeout');
  });
});
