import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workspaceFolder } from '../../files/workspace-folder.ts';
import { openToolAgent, type ToolAgent } from '../testing/open-tool-agent.ts';
import { fileTools } from './file-tools.ts';

let fixture: ToolAgent;
beforeAll(async () => {
  fixture = await openToolAgent(fileTools());
});
afterAll(() => fixture[Symbol.asyncDispose]());

test('a file is written, read, changed, found, listed and deleted, and can be taken back', async () => {
  const write = await fixture.use('write_file', { path: 'notes/a.md', content: 'Grüße\nzwei\ndrei\n' });
  expect(write).toMatchObject({ text: 'Wrote 18 bytes to notes/a.md.', isError: false });
  expect(await (await fixture.call('alice', 'GET', '/files/notes/a.md')).text()).toBe('Grüße\nzwei\ndrei\n');
  expect((await fixture.use('read_file', { path: 'notes/a.md' })).text).toBe('Grüße\nzwei\ndrei\n');
  const part = await fixture.use('read_file', { path: 'notes/a.md', first_line: 2, lines: 1 });
  expect(part.text).toBe('zwei\n[lines 2 to 2 of 4]');
  const edit = await fixture.use('edit_file', { path: 'notes/a.md', old_text: 'zwei', new_text: '$& 2' });
  expect(edit.text).toBe('Replaced 1 place in notes/a.md.');
  expect((await fixture.use('search_files', { text: 'GRÜSSE' })).text).toBe('Nothing was found.');
  expect((await fixture.use('search_files', { text: 'GRÜ' })).text).toBe('notes/a.md:1: Grüße');
  expect((await fixture.use('search_files', { text: '$& 2', path: 'notes' })).text).toBe('notes/a.md:2: $& 2');
  expect((await fixture.use('list_files', {})).text).toBe('notes/');
  expect((await fixture.use('list_files', { recursive: true })).text).toBe('notes/\nnotes/a.md  18');
  expect((await fixture.use('delete_file', { path: 'notes/a.md' })).text).toBe('notes/a.md is in the trash.');
  const trash = await (await fixture.call('alice', 'GET', '/trash')).json();
  expect(trash).toMatchObject([{ path: 'notes/a.md', by: 'agent' }]);
  expect((await fixture.call('alice', 'POST', `/trash/${trash[0].id}/restore`)).status).toBe(200);
  // Of another person nothing of it is there.
  expect((await fixture.use('list_files', {}, 'bob')).text).toBe('(empty, or not there)');
  expect(await fixture.use('read_file', { path: 'notes/a.md' }, 'bob')).toMatchObject({
    text: 'There is no file notes/a.md.',
    isError: true,
  });
});

test.each([
  ['read_file', { path: 'nowhere' }, 'There is no file nowhere.'],
  ['read_file', { path: '../../etc/passwd' }, 'The path leaves the workspace.'],
  ['read_file', { path: '/etc/passwd' }, 'The path is absolute'],
  ['read_file', { path: 'out/passwd' }, 'There is no file out/passwd.'],
  ['write_file', { path: '.db/agent.sqlite', content: 'x' }, 'reserved folder'],
  ['write_file', { path: 'out/x', content: 'x' }, ''],
  ['write_file', { path: 'a\0b', content: 'x' }, ''],
  ['list_files', { path: '..' }, 'leaves the workspace'],
  ['search_files', { text: 'root', path: '../..' }, 'leaves the workspace'],
  ['delete_file', { path: 'nowhere' }, ''],
  ['edit_file', { path: 'twice.md', old_text: 'x', new_text: 'y' }, 'The old text occurs 2 times in twice.md'],
  ['edit_file', { path: 'twice.md', old_text: 'z', new_text: 'y' }, 'The old text is not in twice.md.'],
  ['read_file', { path: 'twice.md', first_line: 9 }, 'twice.md has 1 lines.'],
  ['read_file', { path: 'picture.png' }, 'picture.png is not text.'],
])('%s %j is refused in words', async (tool, args, words) => {
  await fixture.call('alice', 'PUT', '/files/twice.md', 'x x');
  await fixture.call('alice', 'PUT', '/files/picture.png', Buffer.from([0x89, 0x50, 0, 0xff]));
  const folder = workspaceFolder(fixture.dataFolder, 'alice' as never);
  await symlink('/etc', path.join(folder, 'out')).catch(() => {});
  const outcome = await fixture.use(tool, args);
  expect(outcome.isError).toBe(true);
  expect(outcome.text).toContain(words);
  expect(outcome.text).not.toContain('root:');
  expect(await (await fixture.call('alice', 'GET', '/files/twice.md')).text()).toBe('x x');
});

test('all places are changed when that is asked for', async () => {
  await fixture.use('write_file', { path: 'many.md', content: 'x x x' });
  expect((await fixture.use('edit_file', { path: 'many.md', old_text: 'x', new_text: 'yy', all: true })).text).toBe(
    'Replaced 3 places in many.md.',
  );
  expect((await fixture.use('read_file', { path: 'many.md' })).text).toBe('yy yy yy');
});

test('of a long file there is a part, and it says so', async () => {
  const content = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join('\n');
  await fixture.use('write_file', { path: 'long.txt', content });
  const first = await fixture.use('read_file', { path: 'long.txt' });
  expect(first.text).toMatch(/^line 1\n[\s\S]*\nline 2000\n\[lines 1 to 2000 of 5000\]$/);
  const last = await fixture.use('read_file', { path: 'long.txt', first_line: 4_999 });
  expect(last.text).toBe('line 4999\nline 5000\n[lines 4999 to 5000 of 5000]');
});
