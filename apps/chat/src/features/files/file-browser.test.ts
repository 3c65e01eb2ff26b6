import type { FileEntry } from '@berth/contract/agent';
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

it('shows a file, and goes into a folder', async () => {
  const { api, calls } = createFakeApi({ 'GET /files': () => [entry('a')] });
  const browser = createFileBrowser(api);
  await browser.show(entry('a') as FileEntry);
  expect(browser.state.get().shown).toMatchObject({ path: 'a' });
  expect(calls).toEqual([]);
  await browser.show({ ...entry('x'), type: 'directory' } as FileEntry);
  expect(browser.state.get()).toMatchObject({ shown: undefined, folder: 'x' });
  await browser.show(entry('x/b') as FileEntry);
  await browser.show(undefined);
  expect(browser.state.get()).toMatchObject({ shown: undefined, folder: 'x' });
});

it('shows nothing of the folder before while another one loads', async () => {
  const slow = Promise.withResolvers<unknown>();
  const answers = [Promise.resolve([entry('a')]), slow.promise];
  const { api } = createFakeApi({ 'GET /files': () => answers.shift() });
  const browser = createFileBrowser(api);
  await browser.refresh();
  const opened = browser.open('x');
  expect(browser.state.get()).toMatchObject({ folder: 'x', entries: [], phase: 'loading' });
  slow.resolve([entry('x/a')]);
  await opened;
  expect(browser.state.get()).toMatchObject({ phase: 'idle', entries: [{ path: 'x/a' }] });
});

// Fails when a list that is read again is emptied first: the rows would flicker.
it('keeps its rows while it reads them again', async () => {
  const answers = [Promise.resolve([entry('a')]), new Promise(() => {})];
  const { api } = createFakeApi({ 'GET /files': () => answers.shift() });
  const browser = createFileBrowser(api);
  await browser.refresh();
  void browser.refresh();
  expect(browser.state.get()).toMatchObject({ entries: [{ path: 'a' }], phase: 'idle' });
});

it('leaves the preview of a file that was moved or deleted', async () => {
  const { api } = createFakeApi({
    'GET /files': () => [],
    'PATCH /files/a': () => ({}),
    'DELETE /files/b': () => ({ trash_id: 't' }),
  });
  const browser = createFileBrowser(api);
  await browser.show(entry('a') as FileEntry);
  await browser.move('a', 'c');
  expect(browser.state.get().shown).toBeUndefined();
  await browser.show(entry('b') as FileEntry);
  await browser.remove('b');
  expect(browser.state.get().shown).toBeUndefined();
});

// Fails when the list is read only after a change that succeeded: it may be the list that is outdated.
it('reads the list again after a change that failed', async () => {
  const { api, calls } = createFakeApi({ 'GET /files': () => [] });
  const browser = createFileBrowser(api);
  await browser.show(entry('a') as FileEntry);
  await expect(browser.move('a', 'b')).rejects.toMatchObject({ status: 404 });
  expect(calls.map(({ method }) => method)).toEqual(['PATCH', 'GET']);
  expect(browser.state.get().shown).toMatchObject({ path: 'a' });
});

it('makes a folder in the folder that is open', async () => {
  const { api, calls } = createFakeApi({ 'GET /files': () => [], 'POST /files/one': () => ({}) });
  const browser = createFileBrowser(api);
  await browser.makeFolder('one');
  expect(calls[0]).toMatchObject({ method: 'POST', path: '/files/one' });
});
