import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startVictoriaLogs, type VictoriaLogs } from '../../bench/peers/victoria-logs.ts';
import { type Berth, createBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { guideBlocks, openGuideShell } from '../harness/guide-shell.ts';
import { needs } from '../harness/needs.ts';
import { nodeProject } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Prints a JSON line and text for each request. */
const PRINTER = nodeProject(`
  import { createServer } from 'node:http';
  createServer((request, response) => {
    const order = Number(new URL(request.url, 'http://x').searchParams.get('order'));
    console.log(JSON.stringify({ severity: 'NOTICE', message: 'order ' + order, order }));
    console.error('plain ' + order);
    response.end('printed');
  }).listen(process.env.PORT, '0.0.0.0');
`);

const ask = async (berth: Berth, order: number) =>
  expect((await request(berth, 'my-app', `/buy?order=${order}`)).text).toBe('printed');

it('all logs arrive at a real receiver, over a kill of the server too', {
  timeout: 180_000,
}, async (context) => {
  await needs(context, 'victoriaLogs', 'curl');
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-log-export-'));
  const receiver = (await startVictoriaLogs(folder.path)) as VictoriaLogs;
  const env = { BERTH_LOG_EXPORT_URL: `${receiver.url}/insert/opentelemetry/v1/logs` };
  await using berth = createBerth({ env });
  const query = async (text: string) => {
    await receiver.flush();
    return receiver.query(text);
  };
  try {
    await berth.start();
    await deployed(berth, 'my-app', { files: PRINTER });
    await ask(berth, 1);
    await waitFor('the entries arrived', async () => (await query('"berth.log":requests')).length === 1);
    expect(await query('"order":1')).toMatchObject([
      { 'service.name': 'my-app', severity: 'NOTICE', 'berth.log': 'stdout', 'log.iostream': 'stdout' },
    ]);
    expect(await query('"plain 1"')).toMatchObject([{ 'service.name': 'my-app', 'log.iostream': 'stderr' }]);
    expect(await query('"berth.log":requests')).toMatchObject([
      {
        'http.request.method': 'GET',
        'http.response.status_code': '200',
        'url.path': '/buy',
        'url.query': 'order=1',
      },
    ]);
    expect((await query('"berth.log":build')).length).toBeGreaterThan(0);

    await ask(berth, 2);
    await waitFor(
      'it is in the log',
      async () => (await readLogs(berth, 'my-app', { query: 'plain 2' })).logs.length === 1,
    );
    // Asks for everything on the disk.
    expect((await berth.api('/readyz')).status).toBe(200);
    await berth.kill9();
    await berth.start();
    await ask(berth, 3);
    await waitFor('what followed arrived', async () => (await query('"plain 3"')).length === 1);
    for (const order of [2, 3]) {
      const uids = (await query(`"plain ${order}"`)).map((entry) => entry['log.record.uid']);
      // After a crash an entry may arrive twice, with the same id.
      expect(new Set(uids).size).toBe(1);
    }
    const shell = openGuideShell(berth, folder.path);
    const [, doctor = '', search = ''] = guideBlocks('log-export', 'sh');
    expect(await shell.run(doctor)).toMatch(/Log export +enforced/);
    const found = await shell.run(search.replace('localhost:9428', new URL(receiver.url).host));
    expect(found.trim().split('\n')).toHaveLength(3);
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
});
