// @vitest-environment happy-dom
import { createError, type DeploymentDetail } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { type OpenSetup, OWNER, openView, say } from '../../testing/open-view.ts';
import { EnvironmentTab } from './environment-tab.tsx';

const LIST = 'GET /v1/env/list';
const SET = 'POST /v1/env/set';
const SECRET = 'sk_live_0123456789';

async function open(answers: OpenSetup['answers'] = {}) {
  const deployment = { name: 'shop' } as DeploymentDetail;
  const keys = [{ key: 'API_KEY', updated_at: '2026-01-01T00:00:00Z' }];
  const view = await openView(createElement(EnvironmentTab, { deployment }), {
    isPart: true,
    cached: [[QUERY_KEYS.user, OWNER]],
    answers: { [LIST]: () => keys, [SET]: () => ({ status: 'applying' }), ...answers },
  });
  const fill = async () => {
    await view.fill(view.field(say('shell.name')), 'TOKEN');
    await view.fill(view.field(say('deployment.env.value')), SECRET);
  };
  return { view, fill, save: () => view.click(view.get('button', say('deployment.env.set'))) };
}

describe('a variable', () => {
  // Fails when the value stays in the page after it was saved, or another variable goes with it.
  test('is saved alone, and its value is gone from the page', async () => {
    const { view, fill, save } = await open();
    await fill();
    await save();
    expect(view.sent(SET)).toEqual([{ deployment_name: 'shop', set: { TOKEN: SECRET }, unset: [] }]);
    const fields = [say('shell.name'), say('deployment.env.value')].map((label) => view.field(label).value);
    expect([fields, view.sent(LIST).length]).toEqual([['', ''], 2]);
    expect(
      JSON.stringify(
        view.queries
          .getQueryCache()
          .getAll()
          .map(({ state }) => state),
      ),
    ).not.toContain(SECRET);
  });

  // Fails when a secret is saved as plain, or the value of a plain one isn't shown.
  test('that is no secret is marked so, and its value is shown', async () => {
    const level = { key: 'LEVEL', value: 'debug', updated_at: '2026-01-01T00:00:00Z' };
    const { view, fill, save } = await open({ [LIST]: () => [level] });
    await fill();
    await view.click(view.get('button', say('deployment.env.replace', { key: 'LEVEL' })));
    expect(view.text()).toContain('debug');
    await save();
    expect(view.sent(SET)).toEqual([
      { deployment_name: 'shop', set: { TOKEN: SECRET, LEVEL: 'debug' }, unset: [], plain: ['LEVEL'] },
    ]);
  });

  test('is typed unseen, and no password manager fills it in', async () => {
    const { view } = await open();
    const field = view.field(say('deployment.env.value'));
    expect([field.type, field.getAttribute('autocomplete')]).toEqual(['password', 'new-password']);
  });

  // Fails when the value gets into a command, which shells keep in their history.
  test('is no part of the commands', async () => {
    const { view, fill } = await open();
    await fill();
    const lines = await view.copyCommands();
    expect(lines.map((line) => [line.includes('TOKEN'), line.includes(SECRET)])).toEqual([
      [true, false],
      [true, false],
    ]);
  });

  // Fails when a refusal loses what was typed.
  test('that is refused stays in the form, with the reason', async () => {
    const refuse = () => {
      throw createError('invalid', 'PORT is set by the platform.');
    };
    const { view, fill, save } = await open({ [SET]: refuse });
    await fill();
    await save();
    expect(view.get('alert').textContent).toContain('PORT is set by the platform.');
    expect(view.field(say('deployment.env.value')).value).toBe(SECRET);
  });
});

describe('removing', () => {
  // Fails when the name is removed without a question, or a value is set with it.
  test('asks, then unsets the one name', async () => {
    const { view, save } = await open();
    await view.click(view.get('button', say('deployment.env.removeKey', { key: 'API_KEY' })));
    expect(view.sent(SET)).toEqual([]);
    await save();
    expect(view.sent(SET)).toEqual([]);
    await view.click(view.all('button', say('deployment.env.set')).at(-1) as HTMLElement);
    expect(view.sent(SET)).toEqual([{ deployment_name: 'shop', set: {}, unset: ['API_KEY'] }]);
    expect(view.find('alertdialog')).toBeUndefined();
  });
});
