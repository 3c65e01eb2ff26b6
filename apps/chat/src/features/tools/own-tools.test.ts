import { expect, it } from 'vitest';
import { createFakeApi } from '../../testing/create-fake-api.ts';
import { createOwnTools } from './own-tools.ts';

it('lists the tools there are, and those that something was decided of once', async () => {
  const modes: Record<string, string> = { gone: 'never' };
  const { api } = createFakeApi({
    'GET /tools/offered': () => [{ name: 'wipe', mode: modes['wipe'] ?? 'ask', is_chosen: 'wipe' in modes }],
    'GET /tools': () => modes,
    'PUT /tools/wipe': ({ body }) => Object.assign(modes, { wipe: (body as { mode: string }).mode }),
    'DELETE /tools/gone': () => delete modes['gone'],
  });
  const own = createOwnTools(api);
  await own.refresh();
  expect(own.state.get().tools).toEqual([
    { name: 'wipe', mode: 'ask', is_chosen: false },
    { name: 'gone', mode: 'never', is_chosen: true },
  ]);
  await own.decide('wipe', 'allow');
  await own.decide('gone', undefined);
  expect(own.state.get()).toEqual({ tools: [{ name: 'wipe', mode: 'allow', is_chosen: true }], error: undefined });
  await own.decide('other', 'allow');
  expect(own.state.get()).toMatchObject({ tools: [{ name: 'wipe' }], error: { status: 404 } });
});
