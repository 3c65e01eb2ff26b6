import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { memberKey, ownerKey, teamKey } from '@berth/agent-store';
import { createSqlStores, openAgentSqlite } from '@berth/agent-store/sql';
import { createSilentLogger } from '@berth/kit';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workspaceFolder } from '../files/workspace-folder.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { isTwoInstances } from '../testing/two-instances.ts';
import { askWorkspaces } from './testing/ask-workspaces.ts';
import { createWorkspacePurge } from './workspace-purge.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agent-purge-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns all files of the data folder except the database. */
async function filesOf(dataFolder: string): Promise<readonly string[]> {
  const entries = await readdir(dataFolder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dataFolder, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith(`.db${path.sep}`))
    .sort();
}

/** Returns false also when a folder disappears while it is read. */
const hasFiles = (dataFolder: string, count: number) =>
  filesOf(dataFolder).then(
    (files) => files.length === count,
    () => false,
  );

it('takes away all files of a deleted team, what late writers leave included, and nothing of others', async () => {
  const clock = createFakeClock();
  const dataFolder = path.join(folder, 'late');
  await mkdir(dataFolder);
  await using fixture = await openTestAgent({ workspaces: 'member', clock, dataFolder });
  const ask = askWorkspaces(fixture.url);
  const make = async (): Promise<string> => {
    const { body } = await ask('bob', 'POST', '/workspaces', { name: 'Team' });
    const { id } = body as { readonly id: string };
    const steps = [
      await ask('bob', 'PUT', '/files/a/kept.txt', 'kept', id),
      await ask('bob', 'PUT', '/files/a/deleted.txt', 'deleted', id),
      await ask('bob', 'DELETE', '/files/a/deleted.txt', undefined, id),
      await ask('bob', 'POST', '/share', { path: 'file/a/kept.txt' }, id),
    ];
    expect(steps).toMatchObject(steps.map(() => ({ status: 200 })));
    return id;
  };
  await ask('bob', 'PUT', '/files/own.txt', 'own');
  const other = await make();
  const before = await filesOf(dataFolder);
  const id = await make();
  // The person's own file and the agent's keys are there once.
  expect(await filesOf(dataFolder)).toHaveLength(before.length * 2 - 2);
  await ask('bob', 'DELETE', `/workspaces/${id}`);
  await waitUntil('it is taken away', () => hasFiles(dataFolder, before.length));
  expect(await filesOf(dataFolder)).toEqual(before);

  // Simulates a turn that was still running and wrote again.
  const left = workspaceFolder(dataFolder, teamKey(undefined, id));
  await mkdir(left, { recursive: true });
  await writeFile(path.join(left, 'late.txt'), 'late');
  await waitUntil('it is taken away again', async () => {
    await clock.elapse(120_000);
    return hasFiles(dataFolder, before.length);
  });
  expect((await ask('bob', 'GET', '/files?recursive', undefined, other)).body).toHaveLength(2);
  expect((await ask('bob', 'GET', '/trash', undefined, other)).body).toHaveLength(1);
});

it('takes away what a turn does that is at work in a team when it is deleted', async () => {
  const clock = createFakeClock();
  const dataFolder = path.join(folder, 'at-work');
  await mkdir(dataFolder);
  const seen: string[] = [];
  await using fixture = await openTestAgent({
    workspaces: 'member',
    clock,
    dataFolder,
    async *handler({ workspace, signal, chatId }) {
      yield 'begun';
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await mkdir(workspace.folder, { recursive: true });
      await writeFile(path.join(workspace.folder, 'late.txt'), 'late');
      seen.push(chatId);
    },
  });
  const ask = askWorkspaces(fixture.url);
  const { body } = await ask('bob', 'POST', '/workspaces', { name: 'Team' });
  const { id } = body as { readonly id: string };
  const turn = { messages: [{ role: 'user', content: 'hi' }], detach: true };
  const answer = await fixture.call('bob', 'POST', '/?id=turn', turn, { 'X-Workspace': id });
  await (answer.body as ReadableStream).getReader().read();
  await ask('bob', 'DELETE', `/workspaces/${id}`);
  await waitUntil('the turn is stopped', async () => {
    await clock.elapse(20_000);
    return seen.length > 0;
  });
  await waitUntil('what it wrote is gone', async () => {
    await clock.elapse(60_000);
    return hasFiles(dataFolder, 0);
  });
  // The API no longer returns the chat, so the database is queried.
  if (isTwoInstances) return;
  const stores = createSqlStores(await openAgentSqlite(path.join(dataFolder, '.db'), createSilentLogger()));
  const owner = memberKey(ownerKey({ id: 'bob' }), { id, type: 'team' });
  await waitUntil('its chat is gone', async () => {
    await clock.elapse(120_000);
    return (
      (await stores.chats.messages(owner, 'turn')).length === 0 && (await stores.workspaces.removed()).length === 0
    );
  });
  expect(await stores.chats.list(owner, { limit: 9 })).toEqual([]);
  await stores.close();
});

it('is done with a team when nobody can be at work in it any more, and tries again what stood in the way', async () => {
  const stores = createSqlStores(await openAgentSqlite(':memory:', createSilentLogger()));
  const clock = createFakeClock();
  const removed: string[] = [];
  let isBroken = true;
  const open = () =>
    createWorkspacePurge({
      store: stores.workspaces,
      clock,
      logger: createSilentLogger(),
      async removeFiles(owner) {
        removed.push(owner);
        if (isBroken) throw new Error('EACCES');
      },
    });
  const team = { id: 't-1', name: 'Team', icon: null, createdAtMs: 0, createdBy: 'ann' };
  await stores.workspaces.add('acme', team);
  await stores.workspaces.add('acme', { ...team, id: 't-2' });
  await stores.chats.append(memberKey(ownerKey({ id: 'ann', orgId: 'acme' }), { id: 't-1', type: 'team' }), 'c', [], 0);
  await stores.workspaces.remove('acme', 't-1', clock.nowMs());
  // The process is killed before the purge; the next start resumes it.
  const purge = open();
  purge.start();
  const passes = (count: number) => waitUntil(`pass ${count}`, () => removed.length >= count);
  await passes(1);
  await waitUntil('the next is planned', () => clock.pending === 1);
  isBroken = false;
  await clock.elapse(120_000);
  await passes(2);
  await waitUntil('it is done', async () => (await stores.workspaces.removed()).length === 0);
  expect(new Set(removed)).toEqual(new Set([teamKey('acme', 't-1')]));
  await purge.close();
  expect(clock.pending).toBe(0);
  const again = open();
  again.start();
  await again.close();
  expect(removed).toHaveLength(2);
  await stores.close();
});

const SCRIPT = path.join(import.meta.dirname, '../testing/agent-process.ts');

async function startProcess(dataFolder: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [SCRIPT, dataFolder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: String(url).trim() };
}

it('kill -9 while a team is deleted: it is gone or whole, and what it kept goes with it', {
  timeout: 120_000,
}, async () => {
  const dataFolder = path.join(folder, 'killed');
  await mkdir(dataFolder);
  const { child, url } = await startProcess(dataFolder);
  const teams: string[] = [];
  try {
    const ask = askWorkspaces(url);
    for (let index = 0; index < 4; index++) {
      const { body } = await ask('bob', 'POST', '/workspaces', { name: `Team ${index}` });
      const { id } = body as { readonly id: string };
      teams.push(id);
      await ask('bob', 'PUT', '/files/first.txt', 'x', id);
      const deep = path.join(workspaceFolder(dataFolder, teamKey(undefined, id)), 'deep');
      await mkdir(deep);
      for (let file = 0; file < 300; file++) await writeFile(path.join(deep, `${file}.txt`), 'x');
    }
    const deletions = teams.map((id) => ask('bob', 'DELETE', `/workspaces/${id}`).catch(() => undefined));
    await deletions[0];
    child.kill('SIGKILL');
    await Promise.all([...deletions, child.exitCode ?? child.signalCode ?? once(child, 'exit')]);
  } finally {
    child.kill('SIGKILL');
  }
  await using fixture = await openTestAgent({ workspaces: 'member', dataFolder });
  const ask = askWorkspaces(fixture.url);
  const listed = ((await ask('bob', 'GET', '/workspaces')).body as { readonly id: string }[]).map(({ id }) => id);
  expect(listed).not.toContain(teams[0]);
  for (const id of teams) {
    const files = workspaceFolder(dataFolder, teamKey(undefined, id));
    if (listed.includes(id)) {
      expect((await ask('bob', 'GET', '/files?path=deep', undefined, id)).body).toHaveLength(300);
    } else await waitUntil('its files are gone', () => !existsSync(files), 60_000);
  }
});
