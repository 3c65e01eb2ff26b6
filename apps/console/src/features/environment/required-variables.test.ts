import { createError } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { setupView } from '../../render-view.test-support.ts';
import { useRequiredVariables } from './required-variables.tsx';

const LIST = 'GET /v1/env/list';
const KEY = QUERY_KEYS.environment('shop');

function setup(answer: () => unknown, required: readonly string[] | undefined, isNameKnown = true) {
  const { call, read, render } = setupView({ answers: { [LIST]: answer } });
  const state = () => call(() => useRequiredVariables('shop', required, isNameKnown));
  const answered = async () => {
    state();
    await read(KEY).catch(() => {});
  };
  return { state, read: answered, labels: () => labelsOf(render(state().form)) };
}

const labelsOf = (html: string) => [...html.matchAll(/<label[^>]*>([^<]*)</g)].map(([, label]) => label);

describe('the variables that a source requires', () => {
  // Fails when a source without any has to wait for the server.
  test.each([[undefined], [[]]])('are set where there are none: %j', (required) => {
    expect(setup(() => [], required).state()).toEqual({ missing: [], areSet: true, form: null });
  });

  // Fails when a deploy may begin while they are unknown.
  test('aren’t set until the deployment’s are known', async () => {
    const { state, read } = setup(() => [{ key: 'A' }, { key: 'B' }], ['A', 'B']);
    expect(state().areSet).toBe(false);
    await read();
    expect(state().areSet).toBe(true);
  });

  // Fails when the form asks for what is set, or not for what is missing.
  test('that are missing have a field each', async () => {
    const { state, read, labels } = setup(() => [{ key: 'B' }], ['A', 'B', 'C']);
    await read();
    expect(state().areSet).toBe(false);
    expect(labels()).toEqual(['A', 'C']);
  });

  // Fails when a deployment that doesn't exist yet is an error.
  test('of a new deployment are all missing', async () => {
    const { read, labels } = setup(() => {
      throw createError('not_found', 'There is no deployment "shop".');
    }, ['A']);
    await read();
    expect(labels()).toEqual(['A']);
  });

  test('stay unknown when the server fails', async () => {
    const { state, read } = setup(() => {
      throw createError('internal', 'Broken.');
    }, ['A']);
    await read();
    expect(state().areSet).toBe(false);
  });
});
