import { expect, it } from 'vitest';
import { createLoader } from '../../components/use-loaded.ts';
import { createFakeApi } from '../../testing/create-fake-api.ts';
import { type ListedTool, readOwnTools } from './own-tools.ts';

it('lists the tools there are, and those that something was decided of once', async () => {
  const modes: Record<string, string> = { gone: 'never' };
  const { api } = createFakeApi({
    'GET /tools/offered': () => [{ name: 'wipe', mode: modes['wipe'] ?? 'ask', is_chosen: 'wipe' in modes }],
    'GET /tools': () => modes,
    'PUT /tools/wipe': ({ body }) => Object.assign(modes, { wipe: (body as { mode: string }).mode }),
    'DELETE /tools/gone': () => delete modes['gone'],
  });
  const own = createLoader<readonly ListedTool[]>();
  const read = () => readOwnTools(api);
  await own.load(read);
  expect(own.state.get().value).toEqual([
    { name: 'wipe', mode: 'ask', is_chosen: false },
    { name: 'gone', mode: 'never', is_chosen: true },
  ]);
  await own.change(api.put('/tools/{tool}', { params: { path: { tool: 'wipe' } }, body: { mode: 'allow' } }), read);
  await own.change(api.delete('/tools/{tool}', { params: { path: { tool: 'gone' } } }), read);
  expect(own.state.get()).toEqual({ value: [{ name: 'wipe', mode: 'allow', is_chosen: true }], error: undefined });
  await own.change(api.delete('/tools/{tool}', { params: { path: { tool: 'other' } } }), read);
  expect(own.state.get()).toMatchObject({ value: [{ name: 'wipe' }], error: { status: 404 } });
});
