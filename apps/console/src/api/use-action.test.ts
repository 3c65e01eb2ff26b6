import { describe, expect, test, vi } from 'vitest';
import { setupView } from '../render-view.test-support.ts';
import { QUERY_KEYS } from './query-keys.ts';
import { useAction } from './use-action.ts';

const REVOKE = 'DELETE /v1/user/keys';
const revoke = { params: { query: { id: 'key_1' } } } as const;

describe('an action', () => {
  // Fails when the client isn't handed to `run`, or its input is dropped.
  test('gets the client and its input', async () => {
    const ids: unknown[] = [];
    const { call } = setupView({ answers: { [REVOKE]: ({ query }) => ids.push(query['id']) } });
    const action = call(() =>
      useAction((client, id: string) => client.delete('/v1/user/keys', { params: { query: { id } } })),
    );
    await action.mutateAsync('key_7');
    expect(ids).toEqual(['key_7']);
  });

  // Fails when the data is made stale after `onDone`, or when `said` isn't asked.
  test('makes data stale, says so, and is done, in this order', async () => {
    const { call, queries } = setupView({
      answers: { [REVOKE]: () => ({ detail: 'Revoked.' }) },
      cached: [
        [QUERY_KEYS.keys, []],
        [QUERY_KEYS.members, []],
        [QUERY_KEYS.plans, []],
      ],
    });
    const isStale = (key: readonly string[]) => queries.getQueryState(key)?.isInvalidated;
    const steps: unknown[] = [];
    const action = call(() =>
      useAction((client) => client.delete('/v1/user/keys', revoke), {
        refreshes: [QUERY_KEYS.keys, QUERY_KEYS.members],
        said(answer) {
          steps.push(['said', answer, isStale(QUERY_KEYS.keys), isStale(QUERY_KEYS.members)]);
          return 'Revoked';
        },
        onDone: () => steps.push('done'),
      }),
    );
    await action.mutateAsync();
    expect(steps).toEqual([['said', { detail: 'Revoked.' }, true, true], 'done']);
    expect(isStale(QUERY_KEYS.plans)).toBe(false);
  });

  // Fails when `onSettled` is used instead of `onSuccess`.
  test('that fails changes nothing and keeps its error', async () => {
    const { call, queries } = setupView({ cached: [[QUERY_KEYS.keys, []]] });
    const onDone = vi.fn();
    const action = call(() =>
      useAction((client) => client.delete('/v1/user/keys', revoke), { refreshes: [QUERY_KEYS.keys], onDone }),
    );
    await expect(action.mutateAsync()).rejects.toMatchObject({ code: 'not_found' });
    expect(onDone).not.toHaveBeenCalled();
    expect(queries.getQueryState(QUERY_KEYS.keys)?.isInvalidated).toBe(false);
  });

  // Fails when the promise of `onDone` isn't awaited.
  test('is busy until what follows it has ended', async () => {
    const { call } = setupView({ answers: { [REVOKE]: () => ({}) } });
    const ending = Promise.withResolvers<void>();
    const action = call(() =>
      useAction((client) => client.delete('/v1/user/keys', revoke), { onDone: () => ending.promise }),
    );
    let isOver = false;
    const over = action.mutateAsync().then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    ending.resolve();
    await over;
  });
});
