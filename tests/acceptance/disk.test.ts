import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Berth, startBerth } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { deployed, openDeploy } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { needsProcesses } from '../harness/runtime.ts';
import { changeDatabase, databaseOf } from '../harness/test-database.ts';

interface DiskJson {
  readonly work_root: string;
  readonly parts: Readonly<Record<string, number>>;
  readonly total_bytes: number;
  readonly deployments: readonly { readonly deployment: string }[];
}

const readDisk = async (berth: Berth): Promise<DiskJson> => {
  const env = await databaseOf(berth.dataFolder);
  const { stdout } = await cli(berth, ['admin', 'disk', '--data', berth.dataFolder, '--json'], { env });
  return JSON.parse(stdout) as DiskJson;
};

const prune = async (berth: Berth, ...words: string[]) => {
  const { code, stdout, stderr } = await cli(berth, ['admin', 'prune', '--json', ...words]);
  if (code !== 0) throw new Error(stderr);
  const { removed } = JSON.parse(stdout) as { removed: readonly { what: string; count: number }[] };
  return Object.fromEntries(removed.map(({ what, count }) => [what, count]));
};

/** What `du` says of the folders, each file once. */
const du = (...folders: string[]) =>
  execFileSync('du', ['-sc', '--block-size=1', ...folders], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .at(-1)
    ?.split('\t')[0];

/** A service with 1 MB beside it that is not built. */
const plain = (text: string) => greeter(text, { 'large.bin': Buffer.alloc(1e6, 1) });

/** A service whose build writes 1 MB beside itself and 2 MB into its cache. */
const project = (text: string, more = '') => ({
  ...greeter(text),
  'package.json': JSON.stringify({ type: 'module', scripts: { start: 'node server.js', build: 'node build.mjs' } }),
  'build.mjs': `
    import { existsSync, writeFileSync } from 'node:fs';
    writeFileSync('large.bin', Buffer.alloc(1e6, 1));
    if (!existsSync(process.env.HOME + '/cached')) writeFileSync(process.env.HOME + '/cached', Buffer.alloc(2e6, 1));
    ${more}
  `,
});

// Fails when files with two names count twice (the sum), when prune removes caches of builds under way (the build that looks for its
// own at the end), or artifacts that `--kept-revisions` keeps (the rollbacks).
it('shows what takes room, and gives it back beside a build, without what serves or can be rolled back to', {
  timeout: 120_000,
}, async (context) => {
  needsProcesses(context, 'images are kept by the engine');
  await using berth = await startBerth({ args: ['--kept-revisions', '2'] });
  const name = uniqueName('room');
  const other = uniqueName('other');
  const revisions: string[] = [];
  for (let count = 1; count <= 8; count++) {
    const text = `version ${count}`;
    const { last } = await deployed(berth, name, { files: count === 8 ? project(text) : plain(text) });
    revisions.push(last.revision ?? '');
  }
  await deployed(berth, other, { files: project('other') });

  const before = await readDisk(berth);
  const folders = [berth.dataFolder, ...(before.work_root.startsWith(berth.dataFolder) ? [] : [before.work_root])];
  expect(Math.abs(before.total_bytes / Number(du(...folders)) - 1)).toBeLessThan(0.03);
  expect(before.parts).toMatchObject({ archives: expect.any(Number) });
  expect(before.parts['caches']).toBeGreaterThan(4e6);
  expect(before.parts['kept_artifacts']).toBeGreaterThan(7e6);
  expect(before.deployments[0]).toMatchObject({ deployment: name });

  const artifacts = path.join(before.work_root, 'artifacts');
  const builtOf = (deployment: string) =>
    readdirSync(artifacts).flatMap((account) =>
      existsSync(path.join(artifacts, account, deployment))
        ? readdirSync(path.join(artifacts, account, deployment)).sort()
        : [],
    );
  const dryRun = await cli(berth, ['admin', 'prune', '--dry-run']);
  expect(dryRun).toMatchObject({ code: 0, stdout: expect.stringContaining('build caches') });
  expect(await cli(berth, ['admin', 'prune'])).toMatchObject({ code: 2 });
  expect(builtOf(name)).toHaveLength(8);

  // Eleven minutes pass: requests to replaced revisions may last that long.
  await changeDatabase(berth.dataFolder, 'UPDATE revisions SET served_until = 1 WHERE served_until IS NOT NULL');
  const leftover = path.join(before.work_root, 'archives', 'left.tar.gz');
  writeFileSync(leftover, 'x');
  utimesSync(leftover, 0, 0);

  const build = await openDeploy(berth, other, {
    files: project(
      'other again',
      `console.log('waiting');
      while (!existsSync('go')) await new Promise((next) => setTimeout(next, 20));
      if (!existsSync(process.env.HOME + '/cached') || !existsSync('large.bin')) throw new Error('lost');`,
    ),
  });
  await build.until((event) => JSON.stringify(event).includes('waiting'));
  expect(await prune(berth, '-y')).toMatchObject({ caches: 1, artifacts: 6, archives: 1 });
  for (const account of readdirSync(artifacts)) {
    const project = path.join(artifacts, account, other, builtOf(other).at(-1) ?? '');
    if (existsSync(project)) writeFileSync(path.join(project, 'go'), '');
  }
  expect((await build.finish()).last).toMatchObject({ status: 'DONE' });

  expect(builtOf(name)).toEqual(revisions.slice(-2).sort());
  expect(existsSync(leftover)).toBe(false);
  expect((await request(berth, name, '/')).text).toBe('version 8');
  expect((await request(berth, other, '/')).text).toBe('other again');
  // Not of the total: the log, the database and folders of instances grow meanwhile.
  const prunable = ({ parts }: DiskJson) => Number(parts['caches']) + Number(parts['kept_artifacts']);
  expect(prunable(before) - prunable(await readDisk(berth))).toBeGreaterThan(6e6);
  const back = await cli(berth, ['rollback', name, '--revision', revisions[6] ?? '']);
  expect(back).toMatchObject({ code: 0 });
  expect((await request(berth, name, '/')).text).toBe('version 7');
});
