// @vitest-environment happy-dom
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { OWNER, openView, say } from '../../testing/open-view.ts';
import { SharedVariablesPage } from './shared-variables-page.tsx';

const SET = 'POST /v1/env/shared/set';
const at = '2026-01-01T00:00:00Z';

const open = (rows: object[]) =>
  openView(createElement(SharedVariablesPage), {
    cached: [[QUERY_KEYS.user, OWNER]],
    answers: {
      'GET /v1/env/shared': () => rows,
      [SET]: () => ({ detail: 'Set.', deployments: [{ name: 'shop', deploy_id: 'dpl_1' }] }),
    },
  });

test('a shared variable is set, and the deployments that get it are named', async () => {
  const view = await open([{ key: 'REGION', value: 'eu', updated_at: at, deployments: ['shop'] }]);
  expect(view.text()).toContain('eu');
  expect(view.text()).toContain('shop');
  await view.fill(view.field(say('shell.name')), 'TOKEN');
  await view.fill(view.field(say('deployment.env.value')), 's3cret');
  await view.click(view.get('button', say('deployment.env.set')));
  expect(view.sent(SET)).toEqual([{ set: { TOKEN: 's3cret' } }]);
  expect(view.text()).toContain(say('shared.savedFor', { names: 'shop' }));
});

// Fails when one that deployments refer to can be removed: the server would refuse it.
test('only one that nothing refers to is removed, after a question', async () => {
  const view = await open([
    { key: 'USED', updated_at: at, deployments: ['shop'] },
    { key: 'FREE', updated_at: at, deployments: [] },
  ]);
  const remove = (key: string) => view.get('button', say('deployment.env.removeKey', { key }));
  expect((remove('USED') as HTMLButtonElement).disabled).toBe(true);
  await view.click(remove('FREE'));
  expect(view.sent(SET)).toEqual([]);
  await view.click(view.get('button', say('deployment.env.remove')));
  expect(view.sent(SET)).toEqual([{ unset: ['FREE'] }]);
});
