import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Berth, createBerth, startBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';

/** Files of the database, its log included. */
const databaseOf = ({ dataFolder }: Berth) => readdirSync(dataFolder).filter((name) => name.startsWith('berth.db'));

// Fails when a folder without a database is taken for a new one: the start then removed what services are built of.
it('is not taken for a new one when its database or its key is missing, empty or another', {
  timeout: 120_000,
}, async () => {
  await using berth = await startBerth();
  const name = uniqueName('kept');
  await berth.post('/v1/env/set', { deployment_name: name, set: { SECRET: 'sealed value' } });
  await deployed(berth, name, { files: probe() });
  await berth.stop();
  const inside = (file: string) => path.join(berth.dataFolder, file);
  const aside = inside('../').concat(`${path.basename(berth.dataFolder)}-aside`);
  mkdirSync(aside);
  try {
    for (const file of databaseOf(berth)) renameSync(inside(file), path.join(aside, file));
    await expect(berth.start()).rejects.toThrow(
      /berth\.db is missing, but .+ has been used: it holds master\.key, .*berth admin restore/,
    );
    writeFileSync(inside('berth.db'), '');
    await expect(berth.start()).rejects.toThrow(/berth\.db is empty/);
    for (const file of readdirSync(aside)) copyFileSync(path.join(aside, file), inside(file));

    copyFileSync(inside('master.key'), path.join(aside, 'master.key'));
    rmSync(inside('master.key'));
    await expect(berth.start()).rejects.toThrow(/master\.key is missing\. The database contains/);
    writeFileSync(inside('master.key'), `${'ab'.repeat(32)}\n`);
    await expect(berth.start()).rejects.toThrow(/master\.key is not the key of this database/);
    truncateSync(inside('master.key'));
    await expect(berth.start()).rejects.toThrow(/master\.key is damaged/);
    copyFileSync(path.join(aside, 'master.key'), inside('master.key'));

    await berth.start();
    expect((await request(berth, name, '/env')).json()).toMatchObject({ SECRET: 'sealed value' });
  } finally {
    rmSync(aside, { recursive: true });
  }
});

it('is a new one still when its first start was killed', { timeout: 60_000 }, async () => {
  await using berth = createBerth();
  // What is there between the key and the database.
  writeFileSync(path.join(berth.dataFolder, 'first-run'), '');
  writeFileSync(path.join(berth.dataFolder, 'master.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
  await berth.start();
  expect(readdirSync(berth.dataFolder)).not.toContain('first-run');
});
