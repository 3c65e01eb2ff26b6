import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deployed, readDeployStream } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { startLoad } from '../harness/open-loop.ts';
import { greeter, probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { openServiceSocket } from '../harness/web-socket.ts';

const berth = useBerth();

describe('redeploying under 200 requests a second', () => {
  it.each([
    ['new connections', false],
    ['kept connections', true],
  ])('loses none over %s', async (_title, isKeptAlive) => {
    verifies('deploy.traffic', 'deploy.in-place');
    const name = uniqueName('busy');
    await deployed(berth, name, { files: greeter('v0') });
    const load = startLoad(berth, { service: name, requestsPerSecond: 200, isKeptAlive });
    for (const version of ['v1', 'v2', 'v3']) {
      await deployed(berth, name, { files: greeter(version) });
      await load.answered(version);
    }
    const result = await load.stop();
    expect(result.failures).toEqual([]);
    expect([...result.answers.keys()].sort()).toEqual(['v0', 'v1', 'v2', 'v3']);
    expect([...result.answers.values()].reduce((sum, count) => sum + count, 0)).toBe(result.sent);
    expect((await request(berth, name)).text).toBe('v3');
  });
});

describe('a redeploy', () => {
  it('lets slow requests of the old revision finish there', async () => {
    verifies('deploy.traffic');
    const name = uniqueName('slow');
    await deployed(berth, name, { files: probe() });
    const slow = request(berth, name, '/sleep?ms=4000');
    const events = request(berth, name, '/events?count=8&ms=500');
    await deployed(berth, name, { files: greeter('new') });
    expect((await request(berth, name)).text).toBe('new');
    expect(await slow).toMatchObject({ status: 200, text: 'slept' });
    expect((await events).text).toContain('id: 8\n');
  });

  it('closes a WebSocket of the old revision with 1012 after a while', async () => {
    const name = uniqueName('socket');
    await deployed(berth, name, { files: probe() });
    using socket = await openServiceSocket(berth, name);
    await deployed(berth, name, { files: greeter('new') });
    await socket.send('still here');
    expect(await socket.next()).toEqual({ text: 'still here' });
    expect(await socket.next(15_000)).toEqual({ closeCode: 1012 });
  });

  it('that fails loses no request either', async () => {
    verifies('deploy.failure-keeps-old');
    const name = uniqueName('failing');
    await deployed(berth, name, { files: greeter('good') });
    const load = startLoad(berth, { service: name, requestsPerSecond: 100, isKeptAlive: true });
    const form = new FormData();
    form.set('function_name', name);
    form.set('volumes', '{}');
    form.set('source_archive.0', new Blob(['not an archive']), 'x.tar.gz');
    const { last } = await readDeployStream(await berth.api('/v1/deploy', { method: 'POST', body: form })).finish();
    expect(last.status).toBe('ERROR');
    const result = await load.stop();
    expect(result.failures).toEqual([]);
    expect([...result.answers.keys()]).toEqual(['good']);
  });
});
