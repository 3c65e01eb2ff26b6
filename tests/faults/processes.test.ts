import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { cli } from '../harness/cli.ts';
import { deployed, openDeploy, readDeployStream } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { startLoad } from '../harness/open-loop.ts';
import { findChildren, findProcesses } from '../harness/processes.ts';
import { greeter, nodeProject, type ProjectFiles, probe } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth({ env: { BERTH_GATEWAY_WORKERS: '2', BERTH_ADMIN_PORT: '0' } });

const workers = () => findChildren(berth.pid, 'worker-main.js').map(({ pid }) => pid);
const control = () => findChildren(berth.pid, 'control-main.js').map(({ pid }) => pid);
const isReady = async () => (await fetch(`${berth.url}/readyz`).catch(() => undefined))?.status === 200;

/** Kills a process and waits until the platform has another in its place. */
async function kill9(find: () => number[], pid: number): Promise<void> {
  const count = find().length;
  process.kill(pid, 'SIGKILL');
  await waitFor('another process is in its place', () => find().length === count && !find().includes(pid));
}

/** A new version whose build takes a while. */
const slowBuild = (text: string): ProjectFiles => ({
  ...greeter(text),
  'b.js': `console.log('build runs'); setTimeout(() => {}, 3_000);`,
  'berth.json': JSON.stringify({ build: ['node b.js'] }),
});

/** A new version that runs without ever listening. */
const hangingStart = nodeProject(`console.log('starting'); setInterval(() => {}, 1e6);`);

describe.skipIf(process.platform !== 'linux')('a platform of several processes', () => {
  it('has a control process and as many workers as were asked for', () => {
    expect([control().length, workers().length]).toEqual([1, 2]);
  });

  it('loses no request of a service when its control process is killed, and comes back to the API', async () => {
    verifies('deploy.crash');
    const name = uniqueName('untouched');
    await deployed(berth, name, { files: greeter('old') });
    const stream = await openDeploy(berth, name, { files: slowBuild('new') });
    const { deploy_id } = await stream.until((event) => event.message === 'build runs');
    const load = startLoad(berth, { service: name, requestsPerSecond: 100, isKeptAlive: true });
    const [pid] = control();
    process.kill(pid as number, 'SIGKILL');
    const away = await waitFor('the API says that it is away', async () => {
      const answer = await fetch(`${berth.url}/v1/deployment/list`, { headers: { 'X-API-Key': berth.key } });
      return answer.status === 503 && answer;
    });
    expect(away.headers.get('retry-after')).toMatch(/^\d+$/);
    const during = await request(berth, name, '/?while=away');
    expect(during).toMatchObject({ status: 200, text: 'old' });
    await waitFor('the API is back', isReady);
    const adminUrl = /Metrics\s+(http:\S+)\/metrics/.exec(berth.output)?.[1];
    expect((await fetch(`${adminUrl}/metrics`)).status).toBe(200);

    const events = await berth.api(`/v1/deploys/${deploy_id}/events`);
    const { last } = await readDeployStream(events).finish();
    const result = await load.stop();
    expect(result.failures).toEqual([]);
    // Taken up where it was, or ended with a reason; either way the service is what the deploy says.
    expect(['DONE', 'ERROR']).toContain(last.status);
    expect((await request(berth, name)).text).toBe(last.status === 'DONE' ? 'new' : 'old');
    await waitFor('what was asked for meanwhile is in the log', async () =>
      // By a filter: on a slow machine a thousand newer entries follow.
      (await readLogs(berth, name, { query: 'httpRequest.requestUrl:"while=away"' })).logs.some(({ message }) =>
        message.includes('while=away'),
      ),
    );
    await deployed(berth, name, { files: greeter('next') });
    expect((await request(berth, name)).text).toBe('next');
  });

  it('replaces a control process that hangs, and serves meanwhile', { timeout: 120_000 }, async () => {
    const name = uniqueName('unbothered');
    await deployed(berth, name, { files: greeter('there') });
    const [pid] = control();
    process.kill(pid as number, 'SIGSTOP');
    expect((await request(berth, name)).text).toBe('there');
    await waitFor('it is replaced', () => control().length === 1 && !control().includes(pid as number), {
      timeoutMs: 90_000,
      everyMs: 250,
    });
    await waitFor('the API is back', isReady);
    expect((await request(berth, name)).text).toBe('there');
  });

  it('leaves the old revision serving when its control process is killed while the new one starts', async () => {
    verifies('deploy.crash', 'deploy.failure-keeps-old');
    const name = uniqueName('starting');
    await deployed(berth, name, { files: greeter('old') });
    // Programs, not the sandboxes around them, of which there may be one that waits for the next start.
    const programs = () => findProcesses(`K_SERVICE=${name}`).filter(({ command }) => !command.includes('bwrap'));
    const instances = () => programs().map(({ pid }) => pid);
    const old = instances();
    const isNew = (pid: number) => !old.includes(pid);
    const stream = await openDeploy(berth, name, { files: hangingStart });
    const { deploy_id } = await stream.until((event) => event.status === 'DEPLOYING');
    const begun = await waitFor('both revisions run', () => instances().some(isNew) && instances().filter(isNew));
    await kill9(control, control()[0] as number);
    await waitFor('what it had begun is ended', () => !instances().some((pid) => begun.includes(pid)));
    expect((await request(berth, name)).text).toBe('old');
    await waitFor('the API is back', isReady);
    await berth.api(`/v1/deploys/${deploy_id}/cancel`, { method: 'POST' });
    const { last } = await readDeployStream(await berth.api(`/v1/deploys/${deploy_id}/events`)).finish();
    expect(last.status).toBe('ERROR');
    await waitFor('only the old revision runs', () => !instances().some(isNew));
    expect(instances()).toEqual(old);
    expect((await request(berth, name)).text).toBe('old');
    await deployed(berth, name, { files: greeter('next') });
    expect((await request(berth, name)).text).toBe('next');
  });

  it('ends the instance of a command with the control process of its client', async () => {
    const name = uniqueName('one-off');
    await deployed(berth, name, { files: greeter('here') });
    const isThere = () => findProcesses(`K_SERVICE=${name}`).some(({ command }) => command.includes('sleep 86400'));
    const left = cli(berth, ['run', name, '--', 'sleep', '600']);
    await waitFor('it runs', isThere);
    await kill9(control, control()[0] as number);
    expect((await left).code).not.toBe(0);
    await waitFor('nothing of it is left', () => !isThere());
    await waitFor('the API is back', isReady);
  });

  it('starts cold services, and scales, while there is no control process', async () => {
    const name = uniqueName('cold');
    await deployed(berth, name, { files: probe(), fields: { concurrency: '1', max_instances: '2' } });
    const [pid] = control();
    process.kill(pid as number, 'SIGKILL');
    const answers = await Promise.all([request(berth, name, '/sleep?ms=500'), request(berth, name, '/sleep?ms=500')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await waitFor('the API is back', isReady);
    const { instances } = (await (await berth.api(`/v1/deployment/${name}`)).json()) as { instances: number };
    expect(instances).toBeGreaterThanOrEqual(1);
  });

  it('breaks the connections of a worker that is killed, and no others; its port answers all the while', async () => {
    const name = uniqueName('half');
    const other = uniqueName('other');
    await deployed(berth, other, { files: greeter('hello') });
    await deployed(berth, name, { files: probe(), fields: { concurrency: '41', max_instances: '1' } });
    const open = Array.from({ length: 40 }, () => request(berth, name, '/sleep?ms=3000').catch(String));
    await waitFor('all of them are with the service', async () => {
      const { peakInFlight } = (await request(berth, name, '/peak')).json<{ peakInFlight: number }>();
      return peakInFlight >= 40;
    });
    const [pid] = workers();
    await kill9(workers, pid as number);
    expect((await request(berth, other)).text).toBe('hello');
    const ends = await Promise.all(open);
    const whole = ends.filter((end) => typeof end !== 'string');
    expect(whole.length).toBeGreaterThan(0);
    expect(whole.length).toBeLessThan(40);
    for (const { status, text } of whole) expect({ status, text }).toEqual({ status: 200, text: 'slept' });
    // What the dead one held is free again: all slots can be had.
    const again = await Promise.all(Array.from({ length: 41 }, () => request(berth, name, '/sleep?ms=200')));
    expect(again.map(({ status }) => status)).toEqual(Array(41).fill(200));
  });

  it('answers every connection that is made after a worker was killed, even when that was the last one', async () => {
    const name = uniqueName('steady');
    await deployed(berth, name, { files: greeter('steady') });
    const answers: Promise<{ readonly sentMs: number; readonly what: string }>[] = [];
    const timer = setInterval(() => {
      const sentMs = performance.now();
      const what = request(berth, name).then(({ status }) => String(status), String);
      answers.push(what.then((text) => ({ sentMs, what: text })));
    }, 10);
    const pids = workers();
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    const killedMs = performance.now();
    await waitFor(
      'others are in their place',
      () => workers().length === 2 && !workers().some((pid) => pids.includes(pid)),
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    clearInterval(timer);
    // A signal takes a moment to be seen on a busy machine.
    const later = (await Promise.all(answers)).filter(({ sentMs }) => sentMs > killedMs + 100);
    expect(later.length).toBeGreaterThan(20);
    expect(later.filter(({ what }) => what !== '200')).toEqual([]);
  });

  it('loses no request to redeploys', async () => {
    verifies('deploy.traffic');
    const name = uniqueName('busy');
    await deployed(berth, name, { files: greeter('v0') });
    const load = startLoad(berth, { service: name, requestsPerSecond: 150, isKeptAlive: true });
    for (const version of ['v1', 'v2', 'v3']) {
      await deployed(berth, name, { files: greeter(version) });
      await load.answered(version);
    }
    const result = await load.stop();
    expect(result.failures).toEqual([]);
    expect([...result.answers.keys()].sort()).toEqual(['v0', 'v1', 'v2', 'v3']);
  });

  it('leaves the meaning of signals to its main process, which ends in order', async () => {
    const name = uniqueName('ending');
    await deployed(berth, name, { files: probe() });
    const pids = [...control(), ...workers()];
    for (const pid of pids) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    expect((await request(berth, name)).status).toBe(200);
    expect(await isReady()).toBe(true);
    expect([...control(), ...workers()]).toEqual(pids);
    const slow = request(berth, name, '/sleep?ms=1500');
    await waitFor('it is asked', () => findProcesses(`K_SERVICE=${name}`).length > 0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const exit = await berth.stop();
    expect(exit).toEqual({ code: 0, signal: null });
    expect(await slow).toMatchObject({ status: 200, text: 'slept' });
    expect(findProcesses(`K_SERVICE=${name}`)).toEqual([]);
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    expect(existsSync(path.join(berth.dataFolder, 'api.sock'))).toBe(false);
    await berth.start();
    expect((await request(berth, name)).status).toBe(200);
  });

  it('leaves nothing when its main process is killed, and serves after a restart', async () => {
    const name = uniqueName('gone');
    await deployed(berth, name, { files: probe() });
    const pids = [...control(), ...workers()];
    await berth.kill9();
    await waitFor('no process is left', () => pids.every((pid) => !existsSync(`/proc/${pid}`)));
    await waitFor('no instance is left', () => findProcesses(`K_SERVICE=${name}`).length === 0);
    expect(existsSync(path.join(berth.dataFolder, 'api.sock'))).toBe(false);
    const refused = await new Promise<string>((resolve) => {
      connect(berth.port, '127.0.0.1')
        .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
        .on('connect', () => resolve('connected'));
    });
    expect(refused).toBe('ECONNREFUSED');
    await berth.start();
    expect((await request(berth, name)).status).toBe(200);
  });
});
