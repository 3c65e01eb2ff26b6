// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { createDeployment } from '../../testing/create-deployment.ts';
import { openView } from '../../testing/open-view.ts';
import { EnvironmentTab } from './environment-tab.tsx';
import { useRequiredVariables } from './required-variables.tsx';

const SET = 'POST /v1/env/set';
const LIST = 'GET /v1/env/list';
const SECRET = 'sk-live-0123456789';

async function open(set: () => unknown = () => ({ status: 'applied' }), scopes = ['read', 'deploy']) {
  const keys = new Set(['API_KEY', 'DATABASE_URL']);
  const page = await openView(createElement(EnvironmentTab, { deployment: createDeployment() }), {
    cached: [
      [QUERY_KEYS.user, { role: 'member', scopes, account: { id: 'acc_1', name: 'Acme' } }],
      [QUERY_KEYS.deployment('shop'), createDeployment()],
    ],
    answers: {
      [LIST]: () => [...keys].map((key) => ({ key, updated_at: '2026-01-01T00:00:00Z' })),
      [SET]: ({ body }) => {
        const answer = set();
        for (const key of Object.keys(body['set'] as object)) keys.add(key);
        for (const key of body['unset'] as string[]) keys.delete(key);
        return answer;
      },
    },
  });
  return { ...page, names: () => page.rows('Variables').map(([name]) => name) };
}

/** The form of a source that requires two variables. */
function Required() {
  return useRequiredVariables('shop', ['A_KEY', 'B_KEY']).form;
}

describe('setting a variable', () => {
  // Fails when a revision that didn't start is told of as one that serves.
  test.each([
    ['stored', 'Saved for the first deploy'],
    ['unchanged', 'No changes'],
    ['applying', 'Variables saved. A new revision is starting.'],
    ['failed', 'Variables saved, but the new revision didn’t start.'],
  ])('that is %s says “%s”', async (status, words) => {
    const { type, clickOn, until, text } = await open(() => ({ status }));
    await type('Name', 'TOKEN');
    await clickOn('Save variables');
    await until(() => expect(text()).toContain(words));
  });

  test('needs a name', async () => {
    const { type, control, until, sent, press } = await open();
    await type('Value', SECRET);
    await until(() => expect(control('Save variables').disabled).toBe(true));
    await press('Enter');
    expect(sent(SET)).toEqual([]);
  });
});

describe('removing variables', () => {
  const SAVE = 'Save variables';

  // Fails when a value that can't be recovered is removed without a question, or each change starts a revision of its own.
  test('asks once, and saves removed and new ones in one request', async () => {
    const { clickOn, type, until, dialog, sent, names } = await open();
    await clickOn('Remove API_KEY');
    await clickOn('Remove DATABASE_URL');
    await type('Name', 'TOKEN');
    await type('Value', SECRET);
    await clickOn(SAVE);
    await until(() => expect(dialog()).toContain('Remove API_KEY and DATABASE_URL?'));
    expect(dialog()).toContain('without these variables');
    expect(sent(SET)).toEqual([]);
    await clickOn(SAVE);
    await until(() => expect(names()).toEqual(['TOKEN']));
    expect(sent(SET)).toEqual([
      { deployment_name: 'shop', set: { TOKEN: SECRET }, unset: ['API_KEY', 'DATABASE_URL'] },
    ]);
    expect(dialog()).toBeUndefined();
  });

  // Fails when a revision that didn't start without it passes for one that did.
  test('says when the service didn’t start without one', async () => {
    const { clickOn, until, text, dialog } = await open(() => ({ status: 'failed' }));
    await clickOn('Remove API_KEY');
    await clickOn(SAVE);
    await until(() => expect(dialog()).toBeDefined());
    await clickOn(SAVE);
    await until(() => expect(text()).toContain('the new revision didn’t start'));
  });

  // Fails when a mark can't be taken back, or Escape confirms.
  test('can be given up', async () => {
    const { clickOn, until, dialog, sent, press, control } = await open();
    await clickOn('Remove API_KEY');
    await clickOn(SAVE);
    await until(() => expect(dialog()).toBeDefined());
    await press('Escape');
    await until(() => expect(dialog()).toBeUndefined());
    await clickOn('Keep API_KEY');
    await until(() => expect(control(SAVE).disabled).toBe(true));
    expect(sent(SET)).toEqual([]);
  });
});

// Fails when people without the right can type a secret that the server then refuses.
test('people who may not deploy see the names', async () => {
  const { names, fields, controls } = await open(undefined, ['read']);
  expect(names()).toEqual(['API_KEY', 'DATABASE_URL']);
  expect([fields(), controls()]).toEqual([[], []]);
});

describe('the variables that a source requires', () => {
  // Fails when only the field that was typed last is sent, or an empty one passes.
  test('are set together, and none is left out', async () => {
    const { type, clickOn, until, sent, copyCommands } = await openView(createElement(Required), {
      isPart: true,
      answers: { [LIST]: () => [], [SET]: () => ({ status: 'stored' }) },
    });
    await type('A_KEY', SECRET);
    await clickOn('Save variables');
    expect(sent(SET)).toEqual([]);
    await type('B_KEY', 'b');
    const commands = (await copyCommands()).join(' ');
    expect(commands).toContain('npx berth env set shop A_KEY B_KEY');
    expect(commands).not.toContain(SECRET);
    await clickOn('Save variables');
    await until(() =>
      expect(sent(SET)).toEqual([{ deployment_name: 'shop', set: { A_KEY: SECRET, B_KEY: 'b' }, unset: [] }]),
    );
  });
});
