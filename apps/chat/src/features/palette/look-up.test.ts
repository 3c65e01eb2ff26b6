import { expect, it, vi } from 'vitest';
import { createFakeApi } from '../../testing/create-fake-api.ts';
import { createLookUp } from './look-up.ts';

function open(answers: Parameters<typeof createFakeApi>[0]) {
  const { api, calls } = createFakeApi(answers);
  let work: (() => void) | undefined;
  const lookUp = createLookUp(api, (next) => {
    work = next;
    return () => {
      work = undefined;
    };
  });
  return { lookUp, calls, pause: () => work?.() };
}

it('looks for chats and files once typing pauses, and forgets them with the words', async () => {
  const chat = { id: 'c1', title: 'Soup' };
  const { lookUp, calls, pause } = open({ 'GET /chats': () => [chat] });
  lookUp.search('s');
  lookUp.search(' so&up ');
  expect(calls).toEqual([]);
  pause();
  // The files request fails here, which counts as no results.
  await vi.waitFor(() => expect(lookUp.state.get()).toEqual({ chats: [chat], files: [] }));
  expect(calls.map(({ path }) => path)).toEqual(['/chats?limit=8&q=so%26up', '/files?search=so%26up']);
  lookUp.search('');
  expect(lookUp.state.get()).toEqual({ chats: [], files: [] });
});

it('shows nothing of a search that another followed', async () => {
  let answer: (rows: unknown) => void = () => {};
  const { lookUp, pause } = open({
    'GET /chats': () => new Promise((resolve) => (answer = resolve)),
    'GET /files': () => [],
  });
  lookUp.search('old');
  pause();
  lookUp.search('new');
  answer([{ id: 'c1' }]);
  await new Promise((resolve) => setTimeout(resolve));
  expect(lookUp.state.get().chats).toEqual([]);
});
