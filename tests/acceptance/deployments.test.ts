import { deploymentDetailSchema, deploymentSchema, instanceSchema } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { verifies } from '../conformance/verifies.ts';
import { createAccount } from '../harness/accounts.ts';
import { deploy, deployed, postDeploy, readDeployStream } from '../harness/deploy.ts';
import { expectError, expectIssues, placesOf } from '../harness/error-body.ts';
import { uniqueName } from '../harness/names.ts';
import { needs } from '../harness/needs.ts';
import { findProcesses } from '../harness/processes.ts';
import { greeter, nodeProject, probe } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();

interface Detail {
  readonly status: string;
  readonly revision: string | null;
  readonly revisions: readonly { readonly revision: string; readonly status: string; readonly digest: string | null }[];
}

const detail = async (name: string) => (await (await berth.api(`/v1/deployment/${name}`)).json()) as Detail;
const checkName = async (name: string) =>
  (await (await berth.api(`/v1/deployment/check-name?name=${encodeURIComponent(name)}`)).json()) as {
    available: boolean;
    reason?: string;
  };
const rollback = (body: unknown) => berth.post('/v1/deployment/rollback', body);

describe('check-name', () => {
  it('says why a name cannot be had', async () => {
    verifies('check-name.query', 'check-name.reason');
    expect(placesOf(await expectIssues(await berth.api('/v1/deployment/check-name')))).toEqual(['query.name']);
    expect(await checkName(uniqueName('free'))).toEqual({ available: true });
    for (const name of ['Upper', '1st', 'a_b', '', 'a'.repeat(64), 'api', 'static', '../x']) {
      expect([name, await checkName(name)]).toEqual([
        name,
        { available: false, reason: expect.stringMatching(/\w{3}/) },
      ]);
    }
  });

  it('gives an own name, and not another account’s', async () => {
    verifies('check-name.own', 'check-name.reason', 'form.name-taken', 'error.403');
    const name = uniqueName('mine');
    await deployed(berth, name, { files: greeter('mine') });
    expect(await checkName(name)).toEqual({ available: true });
    const other = await createAccount(berth, uniqueName('other'));
    const headers = { 'X-API-Key': other.key };
    const seen = await berth.api(`/v1/deployment/check-name?name=${name}`, { headers });
    expect(await seen.json()).toEqual({ available: false, reason: expect.any(String) });
    await expectError(await postDeploy(berth, name, { files: greeter('theirs'), key: other.key }), 403);
    expect((await request(berth, name)).text).toBe('mine');
  });
});

describe('the list', () => {
  it('has every field of the contract, newest first', async () => {
    verifies('list.shape', 'list.order', 'list.status', 'list.region', 'json.times', 'deploy.in-place');
    const [older, newer] = [uniqueName('older'), uniqueName('newer')];
    const fields = {
      port: '3000',
      memory: '256Mi',
      cpu: '0.5',
      timeout: '30',
      concurrency: '7',
      max_instances: '2',
      min_instances: '1',
      session_affinity: '1',
      use_http2: 'false',
      volumes: '{"/data":{"name":"records","read_only":true,"sub_path":"a/b"}}',
      schedule: '{"cron":"0 5 * * *","timezone":"Europe/Oslo"}',
      health: '/',
    };
    await deployed(berth, older, { files: greeter('1'), fields });
    await deployed(berth, newer, { files: greeter('1') });
    await deployed(berth, older, { files: greeter('2'), fields });
    const rows = (await (await berth.api('/v1/deployment/list')).json()) as Record<string, unknown>[];
    for (const row of rows) expect(Object.keys(row).sort()).toEqual(Object.keys(deploymentSchema.shape).sort());
    const names = rows.map((row) => row['name']);
    expect(names.filter((name) => name === older)).toHaveLength(1);
    expect(names.indexOf(newer)).toBeLessThan(names.indexOf(older));
    expect(rows.find((row) => row['name'] === older)).toMatchObject({
      url: `http://${older}.localhost:${berth.port}`,
      region: 'local',
      status: 'ready',
      port: 3000,
      memory: '256Mi',
      cpu: 0.5,
      timeout: 30,
      concurrency: 7,
      max_instances: 2,
      min_instances: 1,
      session_affinity: true,
      use_http2: false,
      volumes: { '/data': { name: 'records', read_only: true, sub_path: 'a/b' } },
      schedule: { cron: '0 5 * * *', timezone: 'Europe/Oslo' },
      health: { path: '/', interval: 10, timeout: 5 },
    });
    expect(rows.find((row) => row['name'] === newer)).toMatchObject({
      port: 8080,
      memory: '1Gi',
      cpu: 1,
      timeout: 600,
      concurrency: 80,
      max_instances: 0,
      min_instances: 0,
      session_affinity: false,
      use_http2: false,
      volumes: {},
      schedule: null,
      health: null,
    });
  });

  it('shows a deployment that is building and one whose first deploy failed', async () => {
    verifies('list.status');
    const name = uniqueName('status');
    const running = postDeploy(berth, name, { files: nodeProject(`setTimeout(() => process.exit(1), 1500)`) });
    await waitFor('it is listed', async () => ['building', 'deploying'].includes((await detail(name)).status));
    expect((await readDeployStream(await running).finish()).last.status).toBe('ERROR');
    expect(await detail(name)).toMatchObject({ status: 'failed', revision: null });
  });
});

describe('one deployment', () => {
  it('is its row with its revisions', async () => {
    verifies('get.shape', 'deploy.immutable-revision');
    const name = uniqueName('one');
    const first = await deployed(berth, name, { files: greeter('1') });
    const second = await deployed(berth, name, { files: greeter('2') });
    const answer = await berth.api(`/v1/deployment/${name}`);
    const body = deploymentDetailSchema.strict().parse(await answer.json());
    expect(body.revision).toBe(second.last.revision);
    expect(body.revisions.map((one) => one.revision).sort()).toEqual(
      [first.last.revision, second.last.revision].sort(),
    );
    for (const { digest } of body.revisions) expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

describe('the instances of a deployment', () => {
  it('are listed with what they do and use', async () => {
    verifies('instances.list');
    const name = uniqueName('listed');
    const { last } = await deployed(berth, name, { files: greeter('1') });
    const list = async (query: string) =>
      z.array(instanceSchema.strict()).parse(await (await berth.api(`/v1/deployment/instances${query}`)).json());
    const [instance, ...others] = await list(`?name=${name}`);
    expect(others).toEqual([]);
    expect(instance).toMatchObject({ deployment_name: name, revision: last.revision, requests: 0, server: null });
    expect(['ready', 'suspended']).toContain(instance?.state);
    expect(Date.now() - Date.parse(instance?.started_at ?? '')).toBeLessThan(60_000);
    expect((await list('')).map((one) => one.instance)).toContain(instance?.instance);
    await request(berth, name);
    await waitFor('it is measured', async () => ((await list(`?name=${name}`))[0]?.memory_bytes ?? 0) > 1_000_000);
    await expectError(await berth.api('/v1/deployment/instances?name=nobody-has-this'), 404);
  });
});

describe('a restart', () => {
  it('replaces the instances of a revision without losing a request', async () => {
    verifies('restart.same-revision', 'restart.no-loss');
    const name = uniqueName('restart');
    const files = nodeProject(
      `import { createServer } from 'node:http';
const id = String(Math.random());
createServer((_, response) => setTimeout(() => response.end(id), 20)).listen(process.env.PORT);`,
    );
    const { last } = await deployed(berth, name, { files });
    const before = (await request(berth, name)).text;
    const statuses: number[] = [];
    let isRunning = true;
    const traffic = Array.from({ length: 4 }, async () => {
      while (isRunning) statuses.push((await request(berth, name)).status);
    });
    const events = await readDeployStream(await berth.post('/v1/deployment/restart', { name })).finish();
    const count = statuses.length;
    await waitFor('more requests', () => statuses.length > count + 20);
    isRunning = false;
    await Promise.all(traffic);
    expect(events.last).toMatchObject({ status: 'DONE', revision: last.revision });
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect((await request(berth, name)).text).not.toBe(before);
    expect((await detail(name)).revisions).toHaveLength(1);
  });
});

describe('a stopped deployment', () => {
  it('has no instances, refuses requests with a reason, pauses its schedule, and is resumed', async () => {
    verifies('stop.refuses', 'stop.no-instances', 'stop.schedule', 'resume.serves');
    const name = uniqueName('stopped');
    const fields = { schedule: '0 5 * * *' };
    await deployed(berth, name, { files: greeter('on'), fields });
    expect((await readDeployStream(await berth.post('/v1/deployment/stop', { name })).finish()).last.status).toBe(
      'DONE',
    );
    const answer = await request(berth, name, '/', { headers: { accept: 'application/json' } });
    expect([answer.status, answer.headers['berth-reason'], answer.headers['retry-after']]).toEqual([
      503,
      'stopped',
      '60',
    ]);
    expect(JSON.parse(answer.text).detail).toContain(`berth resume ${name}`);
    expect((await detail(name)).status).toBe('stopped');
    const instances = async () =>
      (await (await berth.api(`/v1/deployment/instances?name=${name}`)).json()) as unknown[];
    await waitFor('its instances have ended', async () => (await instances()).length === 0);
    const schedules = (await (await berth.api('/v1/schedule/list')).json()) as { deployment_name: string }[];
    expect(schedules.find((one) => one.deployment_name === name)).toMatchObject({ is_paused: true, next_run_at: null });
    await expectError(await berth.post('/v1/schedule/run', { name }), 409);
    await expectError(await berth.post('/v1/deployment/stop', { name }), 409);
    expect((await readDeployStream(await berth.post('/v1/deployment/resume', { name })).finish()).last.status).toBe(
      'DONE',
    );
    expect((await request(berth, name)).text).toBe('on');
    expect((await detail(name)).status).toBe('ready');
  });
});

describe('a rollback', () => {
  it('goes to the previous revision, or to the one that is named, without a build', async () => {
    verifies('rollback.stream', 'rollback.previous');
    const name = uniqueName('back');
    const revisions: string[] = [];
    for (const text of ['one', 'two', 'three']) {
      revisions.push((await deployed(berth, name, { files: greeter(text) })).last.revision as string);
    }
    const answer = await rollback({ name });
    expect(answer.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    const { last, events } = await readDeployStream(answer).finish();
    expect(last.status).toBe('DONE');
    expect(events.some((event) => event.log)).toBe(false);
    expect((await request(berth, name)).text).toBe('two');
    const named = await readDeployStream(await rollback({ name, revision: revisions[0] })).finish();
    expect(named.last.status).toBe('DONE');
    expect((await request(berth, name)).text).toBe('one');
  });

  it('to nothing is refused', async () => {
    const name = uniqueName('first');
    await deployed(berth, name, { files: greeter('1') });
    await expectError(await rollback({ name }), 409);
    await expectError(await rollback({ name: 'nobody-has-this' }), 404);
    const unknown = await rollback({ name, revision: 'no-such-revision' });
    expect([404, 422]).toContain(unknown.status);
    expect(placesOf(await expectIssues(await rollback({})))).toEqual(['body.name']);
  });
});

describe('a delete', () => {
  it('ends all but data and logs, and frees the name', async (context) => {
    verifies('delete.answer', 'delete.stops', 'delete.keeps-data', 'delete.keeps-logs', 'delete.frees-name');
    await needs(context, 'procfs');
    const name = uniqueName('delete');
    const volumes = `{"/data":"${uniqueName('kept')}"}`;
    await deployed(berth, name, { files: probe(), fields: { volumes } });
    await request(berth, name, '/write?path=/data/note.txt&text=still%20here');
    await request(berth, name, '/log?text=last%20words');
    const answer = await berth.post('/v1/deployment/delete', { name });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ detail: expect.any(String) });
    await waitFor('its processes are gone', () => findProcesses(`K_SERVICE=${name}`).length === 0);
    expect((await request(berth, name)).status).toBe(404);
    await expectError(await berth.api(`/v1/deployment/${name}`), 404);
    await expectError(await berth.post('/v1/deployment/delete', { name }), 404);
    expect(await checkName(name)).toEqual({ available: true });

    await deployed(berth, name, { files: probe(), fields: { volumes } });
    const read = await request(berth, name, '/read?path=/data/note.txt');
    expect(read.json()).toMatchObject({ ok: true, value: 'still here' });
    const { logs } = await readLogs(berth, name);
    expect(logs.some((entry) => entry.message === 'last words')).toBe(true);
  });

  it('lets open requests finish', async () => {
    verifies('delete.stops');
    const name = uniqueName('drain');
    await deployed(berth, name, { files: probe() });
    const open = request(berth, name, '/sleep?ms=1500');
    await waitFor('the request is in', async () => {
      const { peakInFlight } = (await request(berth, name, '/peak')).json<{ peakInFlight: number }>();
      return peakInFlight >= 2;
    });
    expect((await berth.post('/v1/deployment/delete', { name })).status).toBe(200);
    expect(await open).toMatchObject({ status: 200, text: 'slept' });
  });

  it('during a deploy ends the deploy', async (context) => {
    await needs(context, 'procfs');
    const name = uniqueName('race');
    const files = { ...greeter('x'), 'b.js': 'setTimeout(() => {}, 20000)', 'berth.json': '{"build":["node b.js"]}' };
    const stream = readDeployStream(await postDeploy(berth, name, { files }));
    await stream.until((event) => event.status === 'BUILDING');
    const answer = await berth.post('/v1/deployment/delete', { name });
    expect([200, 409]).toContain(answer.status);
    if (answer.status === 200) {
      expect((await stream.finish()).last).toMatchObject({ status: 'ERROR', code: 'cancelled' });
      await expectError(await berth.api(`/v1/deployment/${name}`), 404);
      expect(await checkName(name)).toEqual({ available: true });
    }
    expect((await deploy(berth, name, { files: greeter('again') })).last.status).toBe('DONE');
    expect((await request(berth, name)).text).toBe('again');
  });
});
