import { access, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseWorkspacePath } from '@berth/agent-core';
import { openFolder } from '@berth/kit/node';
import { expect, it } from 'vitest';
import { placeBatch } from './place-batch.ts';
import { ANN, bytesOf, createFilesFixture } from './testing/create-files-fixture.ts';

it('a batch that fails half-way is taken back: what it replaced is there again, what it added is gone', async () => {
  await using fixture = await createFilesFixture();
  await fixture.put('replaced.txt', 'old');
  await fixture.put('wall', 'a file');
  const files = await Promise.all(
    // A tool put the last one's way under a file after the batch was checked.
    ['replaced.txt', 'added.txt', 'sub/added.txt', 'wall/in-the-way.txt'].map(async (name) => ({
      path: parseWorkspacePath(name),
      staged: await fixture.files.stage(bytesOf(`new ${name}`)),
    })),
  );
  const folder = path.join(fixture.dataFolder, '.incoming', 'batch');
  await mkdir(folder);
  const root = await openFolder(fixture.at('.'));
  if (!root) throw new Error('the workspace is not there');
  await using open = root;
  await expect(placeBatch(open, folder, ANN, files)).rejects.toMatchObject({ code: 'conflict' });
  expect(await fixture.text('replaced.txt')).toBe('old');
  expect((await fixture.paths()).filter((name) => !name.endsWith('/'))).toEqual(['replaced.txt', 'wall']);
  await expect(access(folder)).rejects.toMatchObject({ code: 'ENOENT' });
});
