import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deploy, deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { needs } from '../harness/needs.ts';
import { findProcesses } from '../harness/processes.ts';
import { greeter, nodeProject, probe } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth({ env: { BERTH_IDLE_TIMEOUT: '300' } });
const processesOf = (name: string) => findProcesses(`K_SERVICE=${name}`);

const LISTEN = `createServer((request, response) => response.end('hi')).listen(process.env.PORT, '0.0.0.0');`;
const HTTP = `import { createServer } from 'node:http';`;

describe('a service', () => {
  it('that exits at once ends in start_failed with what it printed, quickly', async () => {
    verifies('code.start-failed', 'deploy.probe-ends-early', 'stream.error');
    const files = nodeProject(`console.log('reading config'); console.error('no database'); process.exit(7);`);
    const before = performance.now();
    const { last } = await deploy(berth, uniqueName('exits'), { files });
    expect(last).toMatchObject({ status: 'ERROR', code: 'start_failed' });
    expect(last.message).toContain('7');
    expect(last.logs?.join('\n')).toContain('no database');
    expect(performance.now() - before).toBeLessThan(60_000);
  });

  it('that exits with 0 before it listens has failed, too', async () => {
    verifies('code.start-failed');
    const { last } = await deploy(berth, uniqueName('leaves'), { files: nodeProject(`console.log('done');`) });
    expect(last).toMatchObject({ status: 'ERROR', code: 'start_failed' });
  });

  it('whose start command does not exist ends in start_failed', async () => {
    verifies('code.start-failed');
    const files = { ...greeter('x'), 'berth.json': '{"start": "no-such-program --serve"}' };
    const { last } = await deploy(berth, uniqueName('command'), { files });
    expect(last.status).toBe('ERROR');
    expect(['start_failed', 'build_failed']).toContain(last.code);
    expect(last.message).toContain('no-such-program');
  });

  it('that failed to start leaves no process, and the old revision serving', async (context) => {
    verifies('deploy.failure-keeps-old', 'deploy.traffic');
    await needs(context, 'procfs');
    const name = uniqueName('keeps');
    const good = await deployed(berth, name, { files: greeter('good') });
    const bad = await deploy(berth, name, { files: nodeProject('process.exit(1)') });
    expect(bad.last.status).toBe('ERROR');
    expect((await request(berth, name)).text).toBe('good');
    const detail = (await (await berth.api(`/v1/deployment/${name}`)).json()) as { revision: string };
    expect(detail).toMatchObject({ revision: good.last.revision, status: 'ready' });
    expect(processesOf(name).length).toBeGreaterThan(0);
  });

  it('that crashes is started again, and the crash is logged with its code', async () => {
    verifies('logs.system');
    const name = uniqueName('crashes');
    await deployed(berth, name, { files: probe() });
    const first = (await request(berth, name)).json<{ startedAt: string }>();
    await request(berth, name, '/exit?code=9');
    const next = await waitFor('it serves again', async () => {
      const answer = await request(berth, name);
      return answer.status === 200 && answer.json<{ startedAt: string }>();
    });
    expect(next.startedAt).not.toBe(first.startedAt);
    await waitFor('the crash is in the log', async () => {
      const { logs } = await readLogs(berth, name);
      return logs.some(
        (entry) => entry.severity === 'ERROR' && /exit|crash/i.test(entry.message) && /\b9\b/.test(entry.message),
      );
    });
  });

  it('that ignores SIGTERM is killed', async (context) => {
    verifies('service.stop');
    await needs(context, 'procfs');
    const name = uniqueName('stubborn');
    await deployed(berth, name, { files: nodeProject(`${HTTP} process.on('SIGTERM', () => {}); ${LISTEN}`) });
    const before = performance.now();
    const answer = await berth.post('/v1/deployment/delete', { name });
    expect(answer.status).toBe(200);
    await waitFor('it is gone', () => processesOf(name).length === 0, { timeoutMs: 25_000 });
    expect(performance.now() - before).toBeGreaterThan(8_000);
  });

  it('that forks children leaves none', async (context) => {
    await needs(context, 'procfs');
    const name = uniqueName('forks');
    const files = nodeProject(`${HTTP} import { spawn } from 'node:child_process';
      for (const detached of [true, false])
        spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6)'], { detached });
      ${LISTEN}`);
    await deployed(berth, name, { files });
    expect(processesOf(name).length).toBeGreaterThanOrEqual(3);
    expect((await berth.post('/v1/deployment/delete', { name })).status).toBe(200);
    await waitFor('all are gone', () => processesOf(name).length === 0, { timeoutMs: 25_000 });
  });

  it('that answers garbage is 502, and not the end of the server', async () => {
    const name = uniqueName('garbage');
    const files = nodeProject(`import { createServer } from 'node:net';
      createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-what\\r\\n')).listen(process.env.PORT, '0.0.0.0');`);
    await deployed(berth, name, { files });
    const answer = await request(berth, name);
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect((await berth.api('/readyz')).status).toBe(200);
  });

  it('that fills its disk harms itself alone', async () => {
    const name = uniqueName('fills');
    const files = nodeProject(`${HTTP} import fs from 'node:fs';
      const block = Buffer.alloc(16 * 2 ** 20);
      let result = 'filled 256 MiB';
      try { for (let i = 0; i < 16; i++) fs.appendFileSync('big.bin', block); } catch (error) { result = error.code; }
      fs.rmSync('big.bin', { force: true });
      createServer((request, response) => response.end(result)).listen(process.env.PORT, '0.0.0.0');`);
    await deployed(berth, name, { files });
    expect((await request(berth, name)).status).toBe(200);
    const neighbour = uniqueName('neighbour');
    await deployed(berth, neighbour, { files: greeter('unharmed') });
    expect((await request(berth, neighbour)).text).toBe('unharmed');
  });
});
