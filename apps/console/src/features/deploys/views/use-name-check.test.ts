import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { setupView } from '../../../render-view.test-support.ts';
import { useNameCheck } from './use-name-check.ts';

const CHECK = 'GET /v1/deployment/check-name';
const DETAIL = 'GET /v1/deployment/{name}';

/** Returns what the form is told before and after the server has answered. */
async function check(name: string, answers: Parameters<typeof setupView>[0] = {}) {
  const { call, read } = setupView(answers);
  const before = call(() => useNameCheck(name));
  await read(QUERY_KEYS.deploymentName(name));
  return { before, after: call(() => useNameCheck(name)) };
}

describe('a name', () => {
  // Fails when an empty form complains, or a bad name is sent to the server.
  test.each(['', 'Not a name', '-x'])('%j is never asked for', async (name) => {
    let asked = 0;
    const { before, after } = await check(name, { answers: { [CHECK]: () => asked++ } });
    expect(asked).toBe(0);
    expect(before.isChecking).toBe(false);
    expect(before.problem === undefined).toBe(name === '');
    expect(after).toEqual(before);
  });

  // Fails when the form may be sent before the answer is there.
  test('is being checked until the server has answered', async () => {
    let looked = 0;
    const { before, after } = await check('shop', {
      answers: { [CHECK]: () => ({ available: true }), [DETAIL]: () => looked++ },
    });
    // Fails when a free name is looked up, which the browser logs as a 404.
    expect(looked).toBe(0);
    expect(before).toEqual({ isChecking: true });
    expect(after).toEqual({ own: undefined, isChecking: false });
  });

  // Fails when the own deployment isn't looked up: its settings would be lost.
  test('of the account’s own deployment brings that deployment', async () => {
    const { after } = await check('shop', {
      answers: { [CHECK]: () => ({ available: true, exists: true }), [DETAIL]: ({ path }) => ({ name: path['name'] }) },
    });
    expect(after).toEqual({ own: { name: 'shop' }, isChecking: false });
  });

  test('that is taken has the server’s reason', async () => {
    const { after } = await check('shop', { answers: { [CHECK]: () => ({ available: false, reason: 'Taken.' }) } });
    expect(after).toEqual({ problem: 'Taken.', isChecking: false });
  });
});
