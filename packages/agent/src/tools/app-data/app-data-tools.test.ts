import { afterAll, beforeAll, expect, test } from 'vitest';
import { openToolAgent, type ToolAgent } from '../testing/open-tool-agent.ts';
import { appDataTools } from './app-data-tools.ts';

let fixture: ToolAgent;
beforeAll(async () => {
  fixture = await openToolAgent(appDataTools());
});
afterAll(() => fixture[Symbol.asyncDispose]());

test('rows are written, read, listed and removed; a version that is old writes nothing', async () => {
  const row = { app: 'poll', key: 'votes/a' };
  expect((await fixture.use('put_app_data', { ...row, value: { yes: 1 }, version: 0 })).text).toBe('{"version":1}');
  expect((await fixture.use('get_app_data', row)).text).toBe('{"value":{"yes":1},"version":1}');
  const late = await fixture.use('put_app_data', { ...row, value: 2, version: 0 });
  expect(late).toMatchObject({ isError: true, text: expect.stringContaining('Read it again') });
  await fixture.use('put_app_data', { ...row, value: null, version: 1 });
  await fixture.use('put_app_data', { app: 'poll', key: 'other', value: 'x' });
  expect(JSON.parse((await fixture.use('list_app_data', { app: 'poll', prefix: 'votes/' })).text)).toEqual([
    { key: 'votes/a', value: null, version: expect.any(Number) },
  ]);
  // What the page's own routes see.
  expect(await (await fixture.call('alice', 'GET', '/apps/poll/data/other')).json()).toMatchObject({ value: 'x' });
  expect((await fixture.use('delete_app_data', { app: 'poll', key: 'votes/' })).text).toBe('{"removed":1}');
  expect(await fixture.use('get_app_data', row)).toMatchObject({ isError: true, text: 'poll has no row votes/a.' });
});

test("a person's own rows are apart, and another person's workspace is another", async () => {
  const row = { app: 'mine', key: 'k' };
  await fixture.use('put_app_data', { ...row, value: 'shared' });
  await fixture.use('put_app_data', { ...row, value: 'own', private: true });
  expect((await fixture.use('get_app_data', row)).text).toContain('shared');
  expect((await fixture.use('get_app_data', { ...row, private: true })).text).toContain('own');
  expect(await (await fixture.call('alice', 'GET', '/apps/mine/data/k?who=me')).json()).toMatchObject({ value: 'own' });
  expect((await fixture.use('get_app_data', row, 'bob')).isError).toBe(true);
});

test.each([
  [{ app: 'poll', key: '../x', value: 1 }, 'is no key'],
  [{ app: 'poll', key: '', value: 1 }, 'is no key'],
  [{ app: '.trash', key: 'x', value: 1 }, 'is not an app name'],
  [{ app: 'trash:1', key: 'x', value: 1 }, 'is not an app name'],
  [{ app: 'poll', key: 'x' }, 'is missing'],
  [{ app: 'poll', key: 'x', value: 'x'.repeat(1_048_576) }, 'at most 1000000 bytes'],
])('arguments are refused: %#', async (args, words) => {
  const outcome = await fixture.use('put_app_data', args);
  expect(outcome.isError).toBe(true);
  expect(outcome.text).toContain(words);
});

test('schemas have nothing that some server of models does not take', () => {
  for (const { inputSchema } of appDataTools()) expect(JSON.stringify(inputSchema)).not.toMatch(/\$ref|pattern|anyOf/);
});
