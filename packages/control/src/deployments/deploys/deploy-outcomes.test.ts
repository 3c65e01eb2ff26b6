import { createError, type DeployEvent } from '@berth/contract';
import type { LogStore } from '@berth/logstore';
import { createRecordingLogger, waitUntil } from '@berth/testkit';
import { describe, expect, it, vi } from 'vitest';
import { readInstanceOutput } from './run-deploy.ts';
import { expectSound } from './testing/invariants.ts';
import { createPlatform, deployForm, type Platform, readEvents } from './testing/platform.ts';

const sentences = (events: readonly DeployEvent[]) => events.map(({ status, message }) => `${status} ${message}`);
const rollback = (platform: Platform, revision?: string) =>
  platform.call('POST', '/v1/deployment/rollback', { json: { name: 'shop', ...(revision && { revision }) } });
const set = (platform: Platform, values: Readonly<Record<string, string>>) =>
  platform.call('POST', '/v1/env/set', { json: { deployment_name: 'shop', set: values } });
const activations = ({ run }: Platform) => run.gateway.calls.filter((call) => call.startsWith('activate'));

/** Deploys `shop` and returns the name of its revision. */
const deploy = async (platform: Platform) => (await platform.deploy('shop')).at(-1)?.revision ?? '';

/** Accepts a deploy of `shop` that waits in its build, so that what is asked for next waits behind it. */
async function block(platform: Platform) {
  const gate = Promise.withResolvers<void>();
  const before = platform.builder.requests.length;
  platform.builder.whenBuilding(() => gate.promise);
  const answer = platform.call('POST', '/v1/deploy', { form: deployForm('shop') });
  await waitUntil('it builds', () => platform.builder.requests.length > before);
  return { gate, end: async () => readEvents(await answer) };
}

describe('a rollback', () => {
  // Fails when the environment of the older revision isn't told, or is told although it is the same.
  it('says which revision starts, and with which environment where that differs', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = await deploy(platform);
    const second = await deploy(platform);
    expect(sentences(await readEvents(await rollback(platform)))).toContain(`DEPLOYING Starting ${first} again`);
    await (await set(platform, { A: '1' })).text();
    const forward = sentences(await readEvents(await rollback(platform, second)));
    // The revision of the change is newer, so this is still a rollback.
    expect(forward[0]).toBe(`BUILDING Rolling shop back to ${second}, without a build`);
    expect(forward).toContain(
      `DEPLOYING Starting ${second} again with its original variables; later changes apply again with the next deploy`,
    );
    await expectSound(platform);
  });

  // Fails when a revision that serves is started again, or when a deploy is told twice about the same one before it.
  it('to what serves by then starts nothing', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = await deploy(platform);
    // The end of a deploy is told before it is cleaned up, and the next one waits for that without a word.
    await expectSound(platform);
    const discards = Promise.withResolvers<void>();
    const { discard } = platform.builder;
    const discarding = vi.spyOn(platform.builder, 'discard').mockImplementation(async (archive) => {
      await discards.promise;
      await discard(archive);
    });
    await deploy(platform);
    await waitUntil('it is cleaned up', () => discarding.mock.calls.length > 0);
    const starts = Promise.withResolvers<void>();
    platform.run.gateway.whenActivating(() => starts.promise);
    // One after the other, as two that are sent together may be accepted in either order.
    const both = [await rollback(platform, first), await rollback(platform, first)];
    discards.resolve();
    starts.resolve();
    const [, second] = await Promise.all(both.map(readEvents));
    expect(sentences(second ?? [])).toEqual([
      expect.stringMatching(/^BUILDING /),
      `DEPLOYING ${first} is already live`,
      `DONE ${first} serves at http://shop.localhost:8787`,
    ]);
    expect(activations(platform)).toHaveLength(3);
    await expectSound(platform);
  });

  // Fails when a revision without its program is started.
  it('to a revision that was removed while it waited is refused, and what serves goes on', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = await deploy(platform);
    await deploy(platform);
    const { gate, end } = await block(platform);
    const answer = await rollback(platform, first);
    await platform.run.db.updateTable('revisions').set({ artifact: null }).where('revision', '=', first).execute();
    gate.resolve();
    const third = (await end()).at(-1)?.revision;
    expect((await readEvents(answer)).at(-1)).toMatchObject({
      status: 'ERROR',
      code: 'start_failed',
      message: `${first} was removed while this rollback was queued. Choose a newer revision. ${third} keeps serving.`,
    });
    expect(platform.run.gateway.routes.get('shop')?.revision).toBe(third);
  });
});

describe('a change of variables', () => {
  // Fails when variables that a deploy before it brought are applied again.
  it('that a deploy before it has applied starts nothing', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await deploy(platform);
    const { gate, end } = await block(platform);
    const changes = [set(platform, { A: '1' }), set(platform, { B: '2' })];
    const { db } = platform.run;
    await waitUntil('both wait', async () => (await db.selectFrom('deploys').select('id').execute()).length === 4);
    gate.resolve();
    const third = (await end()).at(-1)?.revision;
    const revisions = await Promise.all(changes.map(async (change) => (await (await change).json()) as object));
    expect(revisions).toEqual([
      expect.objectContaining({ status: 'applied', revision: third }),
      expect.objectContaining({ status: 'applied', revision: third }),
    ]);
    expect(activations(platform)).toHaveLength(2);
    await expectSound(platform);
  });

  it('says which revision starts with them', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await deploy(platform);
    const { deploy_id, revision } = (await (await set(platform, { A: '1' })).json()) as Record<string, string>;
    const events = await readEvents(await platform.call('GET', `/v1/deploys/${deploy_id}/events`));
    expect(sentences(events)).toContain(`DEPLOYING Starting ${revision} with the new variables`);
  });
});

describe('what no longer serves', () => {
  // Fails when a deployment without a revision is taken for one with.
  it.each([
    ['redeploy', 'No live revision to redeploy.'],
    ['environment', 'No live revision to apply the variables to.'],
  ])('ends a waiting change with the reason: %s', async (kind, message) => {
    await using platform = await createPlatform();
    await platform.boot();
    await deploy(platform);
    const { gate } = await block(platform);
    const change =
      kind === 'redeploy'
        ? platform.call('POST', '/v1/deployment/redeploy', { json: { name: 'shop', memory: '2Gi' } })
        : set(platform, { A: '1' });
    const { db } = platform.run;
    await waitUntil('it waits', async () => (await db.selectFrom('deploys').select('id').execute()).length === 3);
    await db.updateTable('revisions').set({ artifact: null }).execute();
    platform.builder.whenBuilding(() => {});
    gate.reject(createError('build_failed', 'no'));
    await (await change).text();
    const last = await db.selectFrom('deploys').selectAll().orderBy('number', 'desc').executeTakeFirstOrThrow();
    const events = await readEvents(await platform.call('GET', `/v1/deploys/${last.id}/events`));
    expect(events.at(-1)).toMatchObject({ status: 'ERROR', code: 'cancelled' });
    expect(events.at(-1)?.message).toContain(message);
    expect(activations(platform)).toHaveLength(1);
  });
});

describe('the end of a deploy', () => {
  // Fails when results are not counted, or when only faults of the platform are logged as errors.
  it('is told to who counts, and to the log', async () => {
    const lines: string[] = [];
    const results: string[] = [];
    await using platform = await createPlatform({
      logger: createRecordingLogger(lines),
      onDeployEnded: (result) => results.push(result),
    });
    await platform.boot();
    const ids = [(await platform.deploy('shop')).at(-1)?.deploy_id];
    for (const error of [createError('build_failed', 'no'), new Error('the disk is gone')]) {
      platform.builder.whenBuilding(() => {
        throw error;
      });
      ids.push((await platform.deploy('shop')).at(-1)?.deploy_id);
    }
    expect(results).toEqual(['done', 'build_failed', 'internal']);
    const told = lines.map((line) => JSON.parse(line)).filter(({ deployId }) => ids.includes(deployId));
    expect(told).toEqual([
      expect.objectContaining({ level: 'info', deployId: ids[0], deployment: 'shop', message: 'deploy finished' }),
      expect.objectContaining({ level: 'info', deployId: ids[1], deployment: 'shop', code: 'build_failed' }),
      expect.objectContaining({ level: 'error', deployId: ids[2], error: expect.stringContaining('disk is gone') }),
      expect.objectContaining({ level: 'info', deployId: ids[2], deployment: 'shop', code: 'internal' }),
    ]);
  });

  // Fails when a deploy that was canceled at the last moment of its build starts, or when what it built stays on the disk.
  it('comes at once when it is canceled while its build ends', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const { build } = platform.builder;
    platform.builder.build = (request) => build(request, { signal: new AbortController().signal });
    const { gate, end } = await block(platform);
    const { id } = await platform.run.db.selectFrom('deploys').select('id').executeTakeFirstOrThrow();
    await platform.call('POST', `/v1/deploys/${id}/cancel`);
    gate.resolve();
    const events = await end();
    expect(events.at(-1)).toMatchObject({ status: 'ERROR', code: 'cancelled' });
    expect(events.map(({ status }) => status)).not.toContain('DEPLOYING');
    expect(activations(platform)).toEqual([]);
    await expectSound(platform);
  });

  // Fails when the lines of the build are shown for a service that doesn't start.
  it('shows what the instance printed, not what the build did', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    platform.run.gateway.whenActivating(() => {
      throw createError('start_failed', 'The service exited with code 1.');
    });
    expect((await platform.deploy('shop')).at(-1)).toMatchObject({ code: 'start_failed', logs: [] });
  });
});

describe('the output of an instance that did not start', () => {
  const query = { account: 'acc', deployment: 'shop', revision: 'shop-1', sinceMs: Date.UTC(2026, 0, 1) };
  const entry = (index: number, changes: object = {}) => ({
    ...{ message: `line ${index}`, revision: 'shop-1', logName: 'stdout' },
    ...{ timestamp: new Date(query.sinceMs + index).toISOString(), ...changes },
  });

  /** A store of these entries that answers as the port says. */
  function logsOf(entries: readonly { readonly timestamp: string }[]) {
    const reads: { readonly since: string; readonly limit: number }[] = [];
    const read = async (_scope: object, options: { readonly since: string; readonly limit: number }) => {
      reads.push(options);
      return entries.filter(({ timestamp }) => timestamp > options.since).slice(0, options.limit);
    };
    return { logs: { read } as unknown as LogStore, reads };
  }

  // Fails when reading ends with the first page, when the next one begins at the wrong place, or when a page is no thousand.
  it('is found behind a thousand requests', async () => {
    const requests = Array.from({ length: 2_500 }, (_one, index) => entry(index + 1, { logName: 'requests' }));
    const { logs, reads } = logsOf([...requests, entry(2_501)]);
    expect(await readInstanceOutput(logs, query)).toEqual(['line 2501']);
    expect(reads.map(({ limit }) => limit)).toEqual([1_000, 1_000, 1_000]);
  });

  it('is read to the end when the last page is full', async () => {
    const { logs, reads } = logsOf(Array.from({ length: 1_000 }, (_one, index) => entry(index + 1)));
    expect(await readInstanceOutput(logs, query)).toEqual(
      Array.from({ length: 20 }, (_one, index) => `line ${index + 981}`),
    );
    expect(reads).toHaveLength(2);
  });

  it('is looked for on twenty pages at most', async () => {
    const { logs, reads } = logsOf(Array.from({ length: 30_000 }, (_one, index) => entry(index + 1)));
    expect((await readInstanceOutput(logs, query)).at(-1)).toBe('line 20000');
    expect(reads).toHaveLength(20);
  });

  // Fails when a log store that is away hides why the service did not start.
  it('is what was read before the log store failed', async () => {
    const { logs } = logsOf(Array.from({ length: 1_000 }, (_one, index) => entry(index + 1)));
    let reads = 0;
    const failing = {
      read: (...values: Parameters<LogStore['read']>) =>
        reads++ === 0 ? logs.read(...values) : Promise.reject(new Error('away')),
    } as unknown as LogStore;
    expect((await readInstanceOutput(failing, query)).at(-1)).toBe('line 1000');
  });

  it('is only that of its revision and its streams', async () => {
    const { logs } = logsOf([
      ...[entry(1, { revision: 'shop-0' }), entry(2, { logName: 'stderr' }), entry(3, { logName: 'requests' })],
      ...[entry(4, { logName: 'build' }), entry(5)],
    ]);
    expect(await readInstanceOutput(logs, query)).toEqual(['line 2', 'line 5']);
  });
});
