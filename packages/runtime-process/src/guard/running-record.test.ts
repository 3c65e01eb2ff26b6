import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { openRunningRecords } from './running-record.ts';

test('what was written is read by the next one, what was removed or torn is not', async () => {
  await using folder = await createTemporaryFolder();
  const path = join(folder.path, 'running');
  const records = openRunningRecords(path);
  records.write('i-1', { folder: '/a', uid: 7, cgroupFolders: [] });
  records.write('i-1', { folder: '/a', uid: 7, cgroupFolders: ['/sys/x'], leader: { pid: 5, startTicks: 6 } });
  records.write('i-2', { folder: '/b', cgroupFolders: [] });
  records.write('i-3', { folder: '/c', cgroupFolders: [] });
  records.remove('i-3');
  records.remove('i-3');
  await writeFile(join(path, 'i-4.json'), '{"folder":');
  await writeFile(join(path, 'i-5.json'), '{"folder":"/d","cgroupFolders":[],"leader":{"pid":-1,"startTicks":1}}');
  const found = openRunningRecords(path).read();
  expect(found.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
    { name: 'i-1', trace: { folder: '/a', uid: 7, cgroupFolders: ['/sys/x'], leader: { pid: 5, startTicks: 6 } } },
    { name: 'i-2', trace: { folder: '/b', cgroupFolders: [] } },
  ]);
  expect(await readdir(path)).toHaveLength(4);
});
