import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { MIGRATIONS } from '../../packages/database/src/migrations/index.ts';
import { openDatabase } from '../../packages/database/src/open-database.ts';
import { findPostgres, NO_POSTGRES, startPostgres } from '../../packages/postgres/src/testing/start-postgres.ts';
import { type Berth, createBerth, REPO } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';

const git = (...words: string[]) => execFileSync('git', words, { cwd: REPO, encoding: 'utf8' }).trim();

const MIGRATIONS_FOLDER = 'packages/database/src/migrations';
const isMigration = (name: string) => /^\d{4}-[^.]+\.ts$/.test(name);

/**
 * Returns the newest commit of this branch without the newest migrations, with those before as they are now; the commit before this one
 * when that knows no Postgres yet.
 */
function findPreviousRelease(): string {
  const now = readdirSync(path.join(REPO, MIGRATIONS_FOLDER)).filter(isMigration).sort();
  const changes = git('log', '--first-parent', '--format=%H', '--', MIGRATIONS_FOLDER).split('\n');
  for (const before of ['HEAD', ...changes.map((change) => `${change}^`)]) {
    const listed = git('ls-tree', '--name-only', `${before}:${MIGRATIONS_FOLDER}`).split('\n');
    const then = listed.filter(isMigration).sort();
    const isEarlier = then.length < now.length && then.every((name, index) => name === now[index]);
    if (isEarlier) return git('ls-tree', before, 'packages/postgres') === '' ? 'HEAD^' : git('rev-parse', before);
  }
  return 'HEAD^';
}

/** Skips the test where it can't tell anything, which in CI is a failure. */
function refuse(context: TestContext, reason: string): void {
  if (process.env['CI'] === 'true') throw new Error(`CI must have everything, and this needs ${reason}`);
  context.skip(`needs ${reason}`);
}

/** Puts the working tree of a commit into `folder`, with the dependencies of this one. */
function checkOut(commit: string, folder: string): void {
  const archive = execFileSync('git', ['archive', commit], { cwd: REPO, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const from = path.join(REPO, 'node_modules');
  const to = path.join(folder, 'node_modules');
  mkdirSync(path.join(to, '@berth'), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== '@berth' && name !== '.cache') symlinkSync(path.join(from, name), path.join(to, name));
  }
  // The packages of its own tree.
  for (const name of readdirSync(path.join(from, '@berth'))) {
    symlinkSync(readlinkSync(path.join(from, '@berth', name)), path.join(to, '@berth', name));
  }
}

/** What a client does on a server. Returns nothing; throws unless all of it works. */
async function expectWorks(berth: Berth, name: string, variables: string[]): Promise<void> {
  const list = (await (await berth.api('/v1/deployment/list')).json()) as { name: string }[];
  if (variables.length > 0) expect(list.map((one) => one.name)).toContain(name);
  const key = `KEY_${variables.length}`;
  const set = await berth.post('/v1/env/set', { deployment_name: name, set: { [key]: 'x' } });
  expect(set.status).toBe(200);
  await set.text();
  variables.push(key);
  await deployed(berth, name, { files: greeter(key) });
  expect((await request(berth, name)).text).toBe(key);
  const made = (await (await berth.post('/v1/user/keys', { name: key, scopes: ['read'] })).json()) as {
    secret: string;
  };
  const read = await berth.api(`/v1/env/list?name=${name}`, { headers: { 'X-API-Key': made.secret } });
  expect(((await read.json()) as { key: string }[]).map((one) => one.key).sort()).toEqual(variables);
}

// Fails when a migration changes what the release before it uses, or when what the new release writes confuses the old one.
it('the release before works on the newest schema, in turns with this one', async (context) => {
  const programs = findPostgres();
  if (!programs) return refuse(context, NO_POSTGRES);
  if (!existsSync(path.join(REPO, '.git'))) return refuse(context, 'a clone of the repository');
  if (git('rev-parse', '--is-shallow-repository') === 'true')
    return refuse(context, 'its history: git fetch --unshallow');
  const root = mkdtempSync(path.join(tmpdir(), 'berth-previous-'));
  const postgres = await startPostgres(programs);
  try {
    const commit = findPreviousRelease();
    checkOut(commit, root);
    const dataFolder = path.join(root, 'data-of-test');
    const shared = { dataFolder, hasGeneratedKey: true, env: { BERTH_DATABASE_URL: postgres.url } };
    const previous = createBerth({ ...shared, root });
    await using current = createBerth(shared);
    const [name, variables] = [uniqueName('rolling'), [] as string[]];

    await previous.start();
    await expectWorks(previous, name, variables);
    // As a server of this release does that starts beside it.
    await (await openDatabase({ url: postgres.url })).close();
    await expectWorks(previous, name, variables);
    await previous.stop();
    await current.start();
    await expectWorks(current, name, variables);
    await current.stop();
    // Releases from before the schema said whom it serves refuse a newer one.
    const isTold = readFileSync(path.join(root, 'packages/sqlite/src/migrate.ts'), 'utf8').includes('serves_from');
    const isSame = readdirSync(path.join(root, 'packages/database/src/migrations')).some((file) =>
      file.startsWith(String(MIGRATIONS.length).padStart(4, '0')),
    );
    if (isTold || isSame) {
      await previous.start();
      await expectWorks(previous, name, variables);
      await previous.stop();
    } else await expect(previous.start()).rejects.toThrow('does not support');
    await current.start();
    await expectWorks(current, name, variables);
  } finally {
    await postgres.close();
    rmSync(root, { recursive: true, force: true });
  }
});
