import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AccountId } from '@berth/kit';
import { afterAll, expect, it } from 'vitest';
import { createVolumeFolders } from './platform-folders.ts';

const root = mkdtempSync(path.join(tmpdir(), 'berth-volumes-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const account = 'acc_1' as AccountId;

it('makes the folder of a volume and of a part of it', async () => {
  const folderOf = createVolumeFolders(path.join(root, 'volumes'));
  expect(await folderOf(account, 'data', '')).toBe(path.join(root, 'volumes/acc_1/data'));
  const part = await folderOf(account, 'data', 'a/b');
  expect(existsSync(part)).toBe(true);
  expect(await folderOf(account, 'data', 'a/b')).toBe(part);
});

it('follows no link that a tenant planted, and makes nothing behind it', async () => {
  const folderOf = createVolumeFolders(path.join(root, 'volumes'));
  const volume = await folderOf(account, 'data', '');
  symlinkSync(root, path.join(volume, 'out'));
  await expect(folderOf(account, 'data', 'out/made')).rejects.toMatchObject({ code: 'start_failed' });
  expect(existsSync(path.join(root, 'made'))).toBe(false);
});
