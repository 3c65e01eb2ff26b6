import { expect, it } from 'vitest';
import { ApiError } from '../../api/api.ts';
import { createFakeApi } from '../../testing/create-fake-api.ts';
import { createFileBrowser } from './file-browser.ts';

const entry = (path: string) => ({ path, name: path, type: 'file', size: 1, modified: '', kind: 'text' });

it('reads a folder, a search, an order', async () => {
  const { api, calls } = createFakeApi({ 'GET /files': () => [entry('a')] });
  const browser = createFileBrowser(api);
  await browser.open('x/y');
  expect(browser.state.get()).toMatchObject({ folder: 'x/y', phase: 'idle', entries: [{ path: 'a' }] });
  await browser.search(' menu ');
  await browser.sort('size');
  await browser.open('');
  expect(calls.map(({ path }) => path)).toEqual([
    '/files?path=x%2Fy&sort=name',
    '/files?search=menu&sort=name',
    '/files?search=menu&sort=size&desc=1',
    '/files?path=&sort=size&desc=1',
  ]);
});

it('shows the answer that was asked for last', async () => {
  const answers: ((value: unknown) => void)[] = [];
  const { api } = createFakeApi({ 'GET /files': () => new Promise((resolve) => answers.push(resolve)) });
  const browser = createFileBrowser(api);
  const first = browser.open('slow');
  const second = browser.open('fast');
  answers[1]?.([entry('fast')]);
  answers[0]?.([entry('slow')]);
  await Promise.all([first, second]);
  expect(browser.state.get().entries).toMatchObject([{ path: 'fast' }]);
});

it('makes folders, moves, and deletes with an undo', async () => {
  const { api, calls } = createFakeApi({
    'GET /files': () => [],
    'POST /files/x/new%20one': () => ({}),
    'PATCH /files/a': () => ({}),
    'DELETE /files/a': () => ({ trash_id: 't/1' }),
    'POST /trash/t%2F1/restore': () => ({}),
  });
  const browser = createFileBrowser(api);
  await browser.open('x');
  await browser.makeFolder('new one');
  await browser.move('a', 'b/a');
  const undo = await browser.remove('a');
  await undo();
  expect(calls.filter(({ method }) => method !== 'GET')).toEqual([
    { method: 'POST', path: '/files/x/new%20one', body: undefined },
    { method: 'PATCH', path: '/files/a', body: { to: 'b/a' } },
    { method: 'DELETE', path: '/files/a', body: undefined },
    { method: 'POST', path: '/trash/t%2F1/restore', body: undefined },
  ]);
});

it('says why a folder could not be read, and passes on what a change fails with', async () => {
  const { api } = createFakeApi({
    'GET /files': () => {
      throw new ApiError(503, 'not now');
    },
  });
  const browser = createFileBrowser(api);
  await browser.refresh();
  expect(browser.state.get()).toMatchObject({ phase: 'failed', problem: 'not now' });
  await expect(browser.makeFolder('a')).rejects.toMatchObject({ status: 404 });
});
