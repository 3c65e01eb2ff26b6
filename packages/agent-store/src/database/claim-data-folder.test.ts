import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSilentLogger } from '@berth/kit';
import { createRecordingLogger } from '@berth/testkit';
import { afterEach, expect, test } from 'vitest';
import { claimDataFolder } from './claim-data-folder.ts';

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))));

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'claim-'));
  folders.push(folder);
  return folder;
}

const logger = createSilentLogger();
const claim = (folder: string, name: string, project?: string) =>
  claimDataFolder({ dataFolder: folder, name, project, logger });

// Fails when the file is written without link(2): a later instance then replaces the id of the first.
test('instances that start together agree on the id of the project', async () => {
  const folder = await dataFolder();
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(folder, 'helper')));
  const projects = new Set(claims.map(({ project }) => project));
  expect(projects.size).toBe(1);
  expect(await claim(folder, 'helper')).toEqual({ folder, name: 'helper', project: [...projects][0] });
  expect(await readdir(path.join(folder, '.db'))).toEqual(['agent.json']);
});

// Fails when a folder with data but without an owner is not claimed as it is.
test('the folder of an earlier version stays the folder of its agent', async () => {
  const folder = await dataFolder();
  await mkdir(path.join(folder, '.db'));
  await writeFile(path.join(folder, '.db', 'agent.sqlite'), '');
  expect(await claim(folder, 'helper', 'acc_1/helper')).toEqual({ folder, name: 'helper', project: 'acc_1/helper' });
});

// Fails when the name is not compared: both agents would share chats, files and keys.
test('an agent of another name has a folder of its own, and is told how to keep its data when it was renamed', async () => {
  const folder = await dataFolder();
  await claim(folder, 'helper', 'p');
  const lines: string[] = [];
  const options = { dataFolder: folder, name: 'other', project: 'p', logger: createRecordingLogger(lines) };
  const own = path.join(folder, '.agents', 'other');
  expect(await claimDataFolder(options)).toEqual({ folder: own, name: 'other', project: 'p' });
  expect(lines.join()).toContain("Set storageName: 'helper' if the agent was renamed");
  expect(await claimDataFolder(options)).toMatchObject({ folder: own });
  expect(await claim(folder, 'helper')).toMatchObject({ folder });
});

// Fails when the project is not compared.
test('an agent of the same name in another project is refused, with what to do', async () => {
  const folder = await dataFolder();
  await claim(folder, 'helper', 'acc_1/helper');
  const refused = claim(folder, 'helper', 'acc_2/helper');
  await expect(refused).rejects.toMatchObject({ code: 'conflict' });
  await expect(refused).rejects.toThrow(
    `The data folder ${folder} belongs to the agent "helper" of another project (acc_1/helper); this is acc_2/helper. To keep the ` +
      'two apart, rename this agent or set BERTH_AGENT_DATA to a folder of its own. If this is the same agent in a new place, set ' +
      'BERTH_AGENT_PROJECT=acc_1/helper to continue with its data.',
  );
  expect(JSON.parse(await readFile(path.join(folder, '.db', 'agent.json'), 'utf8'))).toEqual({
    name: 'helper',
    project: 'acc_1/helper',
  });
});

// Fails when a damaged file counts as absent: another agent would then take over the folder.
test.each(['', '{', '{"name":"helper"}'])('the file %j is reported as damaged', async (text) => {
  const folder = await dataFolder();
  await mkdir(path.join(folder, '.db'));
  await writeFile(path.join(folder, '.db', 'agent.json'), text);
  await expect(claim(folder, 'helper')).rejects.toThrow(/agent\.json is damaged: restore it from a backup/);
});
