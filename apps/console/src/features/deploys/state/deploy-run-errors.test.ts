import type { DeployEvent } from '@berth/contract';
import { describe, expect, test, vi } from 'vitest';
import { createMemoryStorage } from '../../../render-view.test-support.ts';
import { createDeployRun, type DeployRunClient, type OpenEvents } from './create-deploy-run.ts';

const STORED_AS = 'berth.deploy';
const event = (seq: number, status: DeployEvent['status'], changes: Partial<DeployEvent> = {}): DeployEvent =>
  ({
    deploy_id: 'dpl_1',
    seq,
    status,
    message: `event ${seq}`,
    time: '2026-01-01T00:00:00Z',
    ...changes,
  }) as DeployEvent;

/** A stream of events that the test feeds. */
function createStream() {
  const waiting: PromiseWithResolvers<IteratorResult<DeployEvent>>[] = [];
  const ready: (IteratorResult<DeployEvent> | Error)[] = [];
  const push = (result: IteratorResult<DeployEvent> | Error) => {
    const next = waiting.shift();
    if (!next) ready.push(result);
    else if (result instanceof Error) next.reject(result);
    else next.resolve(result);
  };
  let options: Parameters<OpenEvents>[0] | undefined;
  const open: OpenEvents = (given) => {
    options = given;
    return {
      [Symbol.asyncIterator]: () => ({
        next() {
          const result = ready.shift();
          if (result instanceof Error) return Promise.reject(result);
          if (result) return Promise.resolve(result);
          const next = Promise.withResolvers<IteratorResult<DeployEvent>>();
          waiting.push(next);
          return next.promise;
        },
      }),
    };
  };
  return {
    open,
    options: () => options as Parameters<OpenEvents>[0],
    write: (...events: DeployEvent[]) => {
      for (const value of events) push({ value, done: false });
    },
    fail: (error: Error) => push(error),
  };
}

function setup(stored?: string) {
  const storage = createMemoryStorage(new Map(stored === undefined ? [] : [[STORED_AS, stored]]));
  const followed: { id: string; after: number; stream: ReturnType<typeof createStream> }[] = [];
  const post = vi.fn(async () => ({}));
  const client = {
    post,
    followDeploy(id: string, options: { after: number; signal: AbortSignal; onReconnect: () => void }) {
      const stream = createStream();
      followed.push({ id, after: options.after, stream });
      return stream.open({ ...options, onProgress() {} });
    },
  } as unknown as DeployRunClient;
  const run = createDeployRun({ client, storage });
  const phase = (wanted: string | undefined) => vi.waitFor(() => expect(run.state?.phase).toBe(wanted));
  return { run, storage, followed, post, phase };
}

describe('a deploy', () => {
  // Fails when events of a deploy that is no longer shown still change the panel.
  test('that another one replaced says nothing more', async () => {
    const { run, phase } = setup();
    const [first, second] = [createStream(), createStream()];
    run.begin('shop', first.open);
    first.write(event(1, 'BUILDING'));
    await phase('running');
    run.begin('blog', second.open);
    expect(first.options().signal.aborted).toBe(true);
    first.write(event(2, 'DONE', { url: 'https://shop' }));
    second.write(event(1, 'BUILDING', { deploy_id: 'dpl_2', message: 'second' }));
    await vi.waitFor(() => expect(run.state?.deployId).toBe('dpl_2'));
    expect(run.state).toMatchObject({ name: 'blog', phase: 'running', url: undefined });
    expect(run.state?.stages).toHaveLength(1);
  });

  // Fails when a lost connection before the first event counts as a deploy that may still go on.
  test('is refused before its first event, and lost after it', async () => {
    const refused = setup();
    const stream = createStream();
    refused.run.begin('shop', stream.open);
    stream.fail(new Error('The name is taken.'));
    await refused.phase('refused');
    expect(refused.run.state?.error).toMatchObject({ message: 'The name is taken.' });
    expect(refused.storage.kept.size).toBe(0);

    const lost = setup();
    const other = createStream();
    lost.run.begin('shop', other.open);
    other.write(event(1, 'BUILDING'));
    other.fail(new Error('The network is gone.'));
    await lost.phase('lost');
    expect(lost.storage.kept.get(STORED_AS)).toBe('{"name":"shop","deployId":"dpl_1"}');
  });

  // Fails when the panel says that it reconnects after events come again.
  test('reconnects until the next event', async () => {
    const { run, phase } = setup();
    const stream = createStream();
    run.begin('shop', stream.open);
    stream.write(event(1, 'BUILDING'));
    await phase('running');
    stream.options().onReconnect();
    expect(run.state?.isReconnecting).toBe(true);
    stream.write(event(2, 'BUILDING', { log: true, message: 'npm ci' }));
    await vi.waitFor(() => expect(run.state?.isReconnecting).toBe(false));
    expect(run.state?.lines).toEqual(['npm ci']);
  });

  // Fails when the progress of an upload is shown without its total.
  test('shows how far its upload is', () => {
    const { run } = setup();
    const stream = createStream();
    run.begin('shop', stream.open);
    stream.options().onProgress({ sentBytes: 5, totalBytes: 20 });
    expect(run.state).toMatchObject({ phase: 'sending', sent: { sentBytes: 5, totalBytes: 20 } });
  });
});

describe('resuming', () => {
  // Fails when the events that are known come again, or the last known one is asked for.
  test('asks for the events after the last one', async () => {
    const { run, followed, phase } = setup();
    const stream = createStream();
    run.begin('shop', stream.open);
    stream.write(event(1, 'BUILDING'), event(7, 'BUILDING'));
    stream.fail(new Error('lost'));
    await phase('lost');
    run.resume();
    expect(run.state).toMatchObject({ phase: 'running', error: undefined });
    expect(followed.map(({ id, after }) => [id, after])).toEqual([['dpl_1', 7]]);
    followed[0]?.stream.write(event(8, 'DONE', { url: 'https://shop' }));
    await phase('done');
    expect(run.state?.url).toBe('https://shop');
  });

  // Fails when a deploy that runs is followed twice.
  test('does nothing while the deploy is followed, or where there is none', async () => {
    const { run, followed, phase } = setup();
    run.resume();
    expect(run.state).toBeUndefined();
    const stream = createStream();
    run.begin('shop', stream.open);
    stream.write(event(1, 'BUILDING'));
    await phase('running');
    run.resume();
    expect(followed).toEqual([]);
  });

  // Fails when what another version has stored breaks the page.
  test.each(['', 'x', '[]', 'null', '{"name":"shop"}', '{"name":1,"deployId":"dpl_1"}'])(
    'ignores %j in the storage',
    (stored) => {
      const { run, followed } = setup(stored);
      run.resume();
      expect([run.state, followed]).toEqual([undefined, []]);
    },
  );
});

describe('ending', () => {
  // Fails when a canceled upload leaves an entry that the next page would follow.
  test('an upload needs no call; a deploy is canceled by the server', async () => {
    const { run, storage, post, phase } = setup();
    const stream = createStream();
    run.begin('shop', stream.open);
    await run.cancel();
    expect([run.state, stream.options().signal.aborted, post.mock.calls.length]).toEqual([undefined, true, 0]);
    const second = createStream();
    run.begin('shop', second.open);
    second.write(event(1, 'BUILDING'));
    await phase('running');
    await run.cancel();
    expect(post.mock.calls).toEqual([['/v1/deploys/{deploy_id}/cancel', { params: { path: { deploy_id: 'dpl_1' } } }]]);
    expect([run.state?.phase, storage.kept.size]).toEqual(['running', 1]);
  });

  // Fails when the storage keeps a deploy that the person has closed.
  test('dismissing forgets the deploy', async () => {
    const { run, storage, phase } = setup();
    let changes = 0;
    run.subscribe(() => changes++);
    const stream = createStream();
    run.begin('shop', stream.open);
    stream.write(event(1, 'ERROR', { message: 'It ended.', logs: ['last line'] }));
    await phase('failed');
    expect(run.state).toMatchObject({ failure: { message: 'It ended.' }, lines: ['last line'] });
    run.dismiss();
    expect([run.state, storage.kept.size]).toEqual([undefined, 0]);
    expect(changes).toBe(3);
  });
});
