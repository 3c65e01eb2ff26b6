import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deploy, deployed, openDeploy, readDeployStream } from '../harness/deploy.ts';
import { expectError, expectIssues } from '../harness/error-body.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const RFC3339_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const ORDER = ['BUILDING', 'DEPLOYING', 'DONE', 'ERROR'];

const berth = useBerth();

/** A project whose build runs `source` as a Node program. */
const buildRunning = (source: string) => ({
  ...greeter('built'),
  'build.js': source,
  'berth.json': JSON.stringify({ build: ['node build.js'] }),
});
const buildThatTakes = (ms: number) =>
  buildRunning(`console.log('build begins'); setTimeout(() => console.log('build ends'), ${ms});`);

const events = (deployId: string, query = '') => berth.api(`/v1/deploys/${deployId}/events${query}`);

describe('the stream of a deploy', () => {
  it('is NDJSON, whose statuses keep their order and end with DONE', async () => {
    verifies('stream.ndjson', 'stream.event', 'stream.done', 'stream.order', 'json.times', 'address.url');
    const name = uniqueName('stream');
    const stream = await openDeploy(berth, name, { files: greeter('hi') });
    expect(stream.response.headers.get('content-type')).toMatch(/^application\/x-ndjson\b/);
    expect(stream.response.headers.get('x-request-id')).toBeTruthy();
    const { events: all, last, deployId } = await stream.finish();
    expect(all[0]?.status).toBe('BUILDING');
    const ranks = all.map((event) => ORDER.indexOf(event.status));
    expect(ranks).toEqual([...ranks].sort());
    expect(all.filter((event) => event.status === 'DONE' || event.status === 'ERROR')).toHaveLength(1);
    for (const event of all) {
      expect(event).toMatchObject({ message: expect.any(String), deploy_id: deployId });
      expect(event.time).toMatch(RFC3339_UTC);
    }
    expect(last).toMatchObject({
      status: 'DONE',
      url: `http://${name}.localhost:${berth.port}`,
      revision: expect.stringContaining(name),
    });
  });

  it('carries build output as log lines while the build runs', async () => {
    verifies('stream.log-lines', 'stream.ndjson');
    const stream = await openDeploy(berth, uniqueName('output'), { files: buildThatTakes(3_000) });
    const first = await stream.until((event) => event.message.includes('build begins'));
    expect(first).toMatchObject({ status: 'BUILDING', log: true });
    // Were the answer buffered, both would have come at once.
    const before = performance.now();
    await stream.until((event) => event.message.includes('build ends'));
    expect(performance.now() - before).toBeGreaterThan(1_500);
    expect((await stream.finish()).last.status).toBe('DONE');
  });

  it('announces what it sets up', async () => {
    verifies('stream.announcements', 'form.cpu-raise', 'form.schedule-removal', 'deploy.whole-declarations');
    const name = uniqueName('announce');
    const volume = uniqueName('volume');
    const fields = { memory: '5Gi', cpu: '1', volumes: `{"/data":"${volume}"}`, schedule: '5 4 * * *' };
    const first = await deployed(berth, name, { files: greeter('1'), fields });
    const said = first.events.filter((event) => event.status === 'DEPLOYING').map((event) => event.message);
    expect(said.some((message) => message.includes(volume))).toBe(true);
    expect(said.some((message) => /cpu/i.test(message) && message.includes('2'))).toBe(true);
    expect(said.some((message) => /schedule/i.test(message) && message.includes('5 4 * * *'))).toBe(true);

    const second = await deployed(berth, name, { files: greeter('2') });
    const saidNext = second.events.filter((event) => event.status === 'DEPLOYING').map((event) => event.message);
    expect(saidNext.some((message) => /schedule/i.test(message) && /remov/i.test(message))).toBe(true);
    expect(await (await berth.api(`/v1/deployment/${name}`)).json()).toMatchObject({ schedule: null, volumes: {} });
  });

  it('sends an empty line in a silent stretch', async () => {
    verifies('stream.heartbeat');
    const stream = await openDeploy(berth, uniqueName('silent'), { files: buildThatTakes(18_000) });
    await stream.until((event) => event.message.includes('build begins'));
    const before = performance.now();
    const beat = await stream.until((event) => event.message === '');
    expect(beat.status).toBe('BUILDING');
    expect(performance.now() - before).toBeGreaterThan(10_000);
    expect((await stream.finish()).last.status).toBe('DONE');
  });
});

describe('the events of a deploy', () => {
  it('can be replayed, also from the middle', async () => {
    verifies('deploy.events');
    const { events: all, deployId } = await deployed(berth, uniqueName('replay'), { files: greeter('x') });
    const kept = all.filter((event) => event.message !== '' || event.seq !== undefined);
    const replay = await readDeployStream(await events(deployId)).finish();
    expect(replay.events).toEqual(kept);
    const after = kept[1]?.seq;
    const rest = await readDeployStream(await events(deployId, `?after=${after}`)).finish();
    expect(rest.events).toEqual(kept.slice(2));
  });

  it('can be followed to their end by one who comes later', async () => {
    verifies('deploy.events');
    const stream = await openDeploy(berth, uniqueName('follow'), { files: buildThatTakes(1_500) });
    const { deploy_id } = await stream.until((event) => event.message.includes('build begins'));
    const [followed, own] = await Promise.all([readDeployStream(await events(deploy_id)).finish(), stream.finish()]);
    expect(followed.events.filter((event) => event.message)).toEqual(own.events.filter((event) => event.message));
  });

  it('of nobody are 404, and a wrong position is 422', async () => {
    await expectError(await events('dep_00000000000000000000000000'), 404);
    const { deployId } = await deploy(berth, uniqueName('after'), { files: { 'a.txt': 'nothing to recognize' } });
    for (const after of ['-1', 'x', '1.5']) await expectIssues(await events(deployId, `?after=${after}`));
  });
});

describe('a deploy', () => {
  it('goes on when the client goes away', async () => {
    verifies('deploy.durable');
    const name = uniqueName('gone');
    const abort = new AbortController();
    const stream = await openDeploy(berth, name, { files: buildThatTakes(1_000), signal: abort.signal });
    const { deploy_id } = await stream.until((event) => event.message.includes('build begins'));
    abort.abort();
    const { last } = await readDeployStream(await events(deploy_id)).finish();
    expect(last.status).toBe('DONE');
    expect((await request(berth, name)).text).toBe('built');
  });

  it('can be canceled, and keeps what served before', async () => {
    verifies('deploy.cancel', 'code.cancelled', 'stream.error', 'deploy.failure-keeps-old');
    const name = uniqueName('cancel');
    await deployed(berth, name, { files: greeter('before') });
    const stream = await openDeploy(berth, name, { files: buildThatTakes(60_000) });
    const { deploy_id } = await stream.until((event) => event.message.includes('build begins'));
    const answer = await berth.api(`/v1/deploys/${deploy_id}/cancel`, { method: 'POST' });
    expect(answer.status).toBe(200);
    const { last } = await stream.finish();
    expect(last).toMatchObject({ status: 'ERROR', code: 'cancelled' });
    expect((await request(berth, name)).text).toBe('before');
    expect(await (await berth.api(`/v1/deployment/${name}`)).json()).toMatchObject({ status: 'ready' });
  });

  it('that has ended cannot be canceled', async () => {
    verifies('deploy.cancel');
    const { deployId } = await deployed(berth, uniqueName('late'), { files: greeter('x') });
    await expectError(await berth.api(`/v1/deploys/${deployId}/cancel`, { method: 'POST' }), 409);
    const nobody = '/v1/deploys/dep_00000000000000000000000000/cancel';
    await expectError(await berth.api(nobody, { method: 'POST' }), 404);
  });
});
