import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deployed, openDeploy, readDeployStream } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();

const slowBuild = (text: string, ms: number) => ({
  ...greeter(text),
  'b.js': `console.log('building ${text}'); setTimeout(() => {}, ${ms});`,
  'berth.json': '{"build":["node b.js"]}',
});

describe('two deploys of one name', () => {
  it('run one after another, and the waiting one says its place', async () => {
    verifies('deploy.serial');
    const name = uniqueName('serial');
    const first = await openDeploy(berth, name, { files: slowBuild('first', 2_000) });
    await first.until((event) => event.message.includes('building first'));
    const second = await openDeploy(berth, name, { files: slowBuild('second', 100) });
    const waiting = await second.until((event) => event.message !== '');
    expect(waiting.status).toBe('BUILDING');
    expect(second.events.some((event) => /wait|ahead|queue|place/i.test(event.message))).toBe(true);
    const [one, two] = await Promise.all([first.finish(), second.finish()]);
    expect([one.last.status, two.last.status]).toEqual(['DONE', 'DONE']);
    const began = two.events.find((event) => event.message.includes('building second'))?.time ?? '';
    expect(began >= one.last.time).toBe(true);
    expect((await request(berth, name)).text).toBe('second');
  });

  it('where the waiting one is canceled, leave the first alone', async () => {
    verifies('deploy.cancel', 'code.cancelled');
    const name = uniqueName('waiting');
    const first = await openDeploy(berth, name, { files: slowBuild('first', 1_500) });
    await first.until((event) => event.message.includes('building first'));
    const second = await openDeploy(berth, name, { files: greeter('second') });
    const { deploy_id } = await second.until(() => true);
    expect((await berth.api(`/v1/deploys/${deploy_id}/cancel`, { method: 'POST' })).status).toBe(200);
    expect((await second.finish()).last.code).toBe('cancelled');
    expect((await first.finish()).last.status).toBe('DONE');
    expect((await request(berth, name)).text).toBe('first');
  });
});

describe('deploys of different names', () => {
  it('run side by side', async () => {
    verifies('deploy.parallel');
    const names = [uniqueName('left'), uniqueName('right')];
    const streams = await Promise.all(names.map((name) => openDeploy(berth, name, { files: slowBuild(name, 1_500) })));
    // Were they one after another, the second would not build before the first has ended.
    await Promise.all(streams.map((stream) => stream.until((event) => event.message.includes('building'))));
    expect(streams.map((stream) => stream.events.some((event) => event.status === 'DONE'))).toEqual([false, false]);
    for (const stream of streams) expect((await stream.finish()).last.status).toBe('DONE');
  });

  it('beyond what is built at once wait for their turn, and all end well', async () => {
    verifies('deploy.parallel');
    const names = Array.from({ length: 6 }, () => uniqueName('many'));
    await Promise.all(names.map((name) => deployed(berth, name, { files: greeter(name) })));
    const answers = await Promise.all(names.map((name) => request(berth, name)));
    expect(answers.map((answer) => answer.text)).toEqual(names);
  });
});

describe('a rollback during a deploy', () => {
  it('waits for it', async () => {
    verifies('deploy.serial', 'rollback.stream');
    const name = uniqueName('both');
    const { last } = await deployed(berth, name, { files: greeter('one') });
    await deployed(berth, name, { files: greeter('two') });
    const stream = await openDeploy(berth, name, { files: slowBuild('three', 1_000) });
    await stream.until((event) => event.message.includes('building three'));
    const back = readDeployStream(
      await berth.post('/v1/deployment/rollback', { name, revision: last.revision }),
    ).finish();
    expect((await stream.finish()).last.status).toBe('DONE');
    expect((await back).last.status).toBe('DONE');
    expect((await request(berth, name)).text).toBe('one');
  });
});
