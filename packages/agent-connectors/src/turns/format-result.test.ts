import type { Component, ToolFiles } from '@berth/agent-core';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { type FormattedResult, formatResult } from './format-result.ts';

/** A workspace in memory. */
function openFiles() {
  const kept = new Map<string, string>();
  const files: ToolFiles = {
    folder: '/nowhere',
    ensureFolder: async () => {},
    read: async () => undefined,
    write: async (path, bytes) => void kept.set(path, Buffer.from(bytes).toString()),
    list: async (folder) =>
      [...kept.keys()]
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => ({ path, type: 'file', size: kept.get(path)?.length ?? 0 })),
    remove: async (path) => void kept.delete(path),
  };
  return { kept, files };
}

test('the newest 50 files of a connector are kept, and all files of users', async () => {
  const clock = createFakeClock();
  const { kept, files } = openFiles();
  const shown: Component[] = [];
  await files.write('connectors/crm/mine.txt', Buffer.from('my own'));
  await files.write('connectors/other/20250101-000000-find-0000.txt', Buffer.from('of another one'));
  for (let count = 0; count < 55; count++) {
    clock.advance(1_000);
    const result = { text: 'x'.repeat(40_001), isJson: false, files: [] };
    const told = await formatResult({
      result,
      connector: { name: 'crm' },
      tool: 'find/all',
      context: { files, show: (one) => shown.push(one) },
      nowMs: clock.nowMs(),
    });
    expect(told).toMatch(
      /^The result has 40001 characters: all of it is in the file connectors\/crm\/\S+\.txt\. It begins:\nx+$/,
    );
  }
  const names = [...kept.keys()];
  expect(names).toHaveLength(52);
  expect(names.slice(0, 3)).toEqual([
    'connectors/crm/mine.txt',
    'connectors/other/20250101-000000-find-0000.txt',
    expect.stringMatching(/^connectors\/crm\/20260101-000006-find-all-[0-9a-f]{4}\.txt$/),
  ]);
});

test('files that come along are kept as what they are said to be, pictures are shown, what is too much is told', async () => {
  const { kept, files } = openFiles();
  const shown: Component[] = [];
  const show = (one: Component) => void shown.push(one);
  const format = (result: FormattedResult['result'], context: FormattedResult['context']) =>
    formatResult({ result, connector: { name: 'crm' }, tool: 'get', context, nowMs: 0 });
  const file = (mediaType: string, bytes: Buffer = Buffer.from('bytes')) => ({ mediaType, bytes });
  const results = [
    file('image/webp'),
    file('text/csv'),
    file('../../etc/passwd'),
    file('image/png', Buffer.alloc(10_000_001)),
  ];
  const told = await format({ text: '', isJson: false, files: results }, { files, show });
  expect([...kept.keys()].map((path) => path.split('.').at(-1))).toEqual(['webp', 'csv', 'bin']);
  expect(shown).toEqual([{ type: 'image', src: expect.stringMatching(/\.webp$/) }]);
  expect(told).toContain('[A file came with it and is not kept: image/png, 10000001 bytes]');
  const many = { text: 'ok', isJson: false, files: Array.from({ length: 12 }, () => file('text/plain')) };
  expect(await format(many, { files, show })).toMatch(/^ok\n.*\[2 more files are not kept\]$/s);
  // Of someone who has no workspace nothing is kept.
  expect(await format(many, { files: undefined, show })).toContain('is not kept: text/plain');
});
