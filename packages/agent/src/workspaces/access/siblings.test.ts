import { readdirSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { probeSandbox } from '@berth/agent-core';
import { type OwnerKey, ownerKey, teamKey } from '@berth/agent-store';
import type { Workspace } from '@berth/contract/agent';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerFolderName, workspaceFolder } from '../../files/workspace-folder.ts';
import { type LoopAgent, openLoopAgent } from '../../loop/testing/open-loop-agent.ts';
import { readTurn } from '../../testing/read-turn.ts';
import { commandTool } from '../../tools/command/command-tool.ts';
import { fileTools } from '../../tools/files/file-tools.ts';

const [ANN, BOB] = ['ann.acme', 'bob.acme'] as const;
/** Texts in the files of other owners. */
const CANARY = 'canary-of-a-sibling';
/** A file name that reveals the location of the text. */
const NAME = 'unfindable-9f3.txt';

const probe = await probeSandbox();
const problem = 'problem' in probe ? probe.problem : undefined;

let fixture: LoopAgent;
let team: string;
let sibling: string;
/** The team's folder, and the other owners' folders that tools try to reach from it. */
let folder: string;
let others: readonly string[];

const call = (token: string, method: string, target: string, body?: unknown, workspace?: string) =>
  fixture.call(token, method, target, body, workspace === undefined ? {} : { 'X-Workspace': workspace });

/** Returns a tool's result in a turn of Bob's in the team. */
async function use(tool: string, args: unknown): Promise<string> {
  const content = JSON.stringify({ tool, args });
  const turn = await call(BOB, 'POST', `/?id=${crypto.randomUUID()}`, { messages: [{ role: 'user', content }] }, team);
  await readTurn(turn);
  const result = fixture.asked.at(-1)?.messages.at(-1);
  if (result?.role !== 'tool') throw new Error(`${tool} was not called`);
  return result.text;
}

const get = async (target: string) => {
  const answer = await call(BOB, 'GET', target, undefined, team);
  return { status: answer.status, text: Buffer.from(await answer.arrayBuffer()).toString('latin1') };
};

beforeAll(async () => {
  const model = [
    ({ messages }: { readonly messages: readonly { readonly role: string; readonly content?: unknown }[] }) => {
      const last = messages.at(-1) as { readonly role: string; readonly content: readonly { readonly text: string }[] };
      return last.role === 'tool' ? 'Done.' : { calls: [JSON.parse(last.content[0]?.text ?? '{}')] };
    },
  ];
  fixture = await openLoopAgent(model, { tools: [...fileTools(), commandTool()], workspaces: 'member' });
  const make = async (name: string) =>
    ((await (await call(ANN, 'POST', '/workspaces', { name })).json()) as Workspace).id;
  [team, sibling] = [await make('Team'), await make('Sibling')];
  await call(ANN, 'PUT', `/workspaces/${team}/members/bob`, { role: 'editor' });
  await call(BOB, 'PUT', '/tools/run_command', { mode: 'allow' }, team);
  for (const workspace of [sibling, undefined]) {
    for (const name of [NAME, `trashed-${NAME}`]) await call(ANN, 'PUT', `/files/${name}`, CANARY, workspace);
    await call(ANN, 'DELETE', `/files/trashed-${NAME}`, undefined, workspace);
  }
  await call(ANN, 'PUT', '/files/own.txt', 'of the team', team);
  const folderOf = (key: OwnerKey) => workspaceFolder(fixture.dataFolder, key);
  const keys = [teamKey('acme', sibling), ownerKey({ id: 'ann', orgId: 'acme' })];
  folder = folderOf(teamKey('acme', team));
  others = [...keys.map(folderOf), ...keys.map((key) => path.join(fixture.dataFolder, '.trash', ownerFolderName(key)))];
  // As a tool of an owner's may leave them behind, or whoever shares the volume.
  await mkdir(path.join(folder, 'links'));
  for (const [index, other] of others.entries()) {
    await symlink(other, path.join(folder, 'links', `folder-${index}`));
    const [file = 'none'] = readdirSync(other);
    await symlink(path.join(other, file), path.join(folder, 'links', `file-${index}.txt`));
    await symlink(path.relative(path.join(folder, 'links'), other), path.join(folder, 'links', `relative-${index}`));
  }
});
afterAll(() => fixture?.[Symbol.asyncDispose]());

describe('from inside of a team, what a sibling and a person’s own workspace have', () => {
  it('is not served, listed, searched, zipped or shared, whatever leads there', async () => {
    const names = others.flatMap((_, index) => [`file-${index}.txt`, `folder-${index}`, `relative-${index}`]);
    for (const name of names) {
      expect([name, (await get(`/files/links/${name}`)).status]).toEqual([name, 404]);
      expect([name, (await get(`/files/links/${name}/${NAME}`)).status]).toEqual([name, 404]);
      const share = await call(BOB, 'POST', '/share', { path: `file/links/${name}` }, team);
      expect([name, share.status]).toEqual([name, 404]);
    }
    const climbs = others.map((other) => path.relative(folder, path.join(other, NAME)));
    for (const climb of [...climbs, ...others.map((other) => path.join(other, NAME))]) {
      const { status, text } = await get(`/files/${encodeURIComponent(climb)}`);
      expect([climb, status >= 400, text.includes(CANARY)]).toEqual([climb, true, false]);
    }
    expect(JSON.parse((await get('/files?recursive')).text).map((one: { path: string }) => one.path)).toEqual([
      ...['links', 'own.txt'],
    ]);
    expect((await get(`/files?search=${NAME}`)).text).toBe('[]');
    expect((await get('/files?path=links')).text).toBe('[]');
    const zip = await get('/files/links');
    expect([zip.status, /file-|folder-|canary/.test(zip.text)]).toEqual([200, false]);
    // Sharing a chat that references them freezes none of them.
    const named = names.map((name) => `![x](/files/links/${name})`).join(' ');
    const content = JSON.stringify({ tool: 'list_files', args: {}, named });
    await readTurn(await call(BOB, 'POST', '/?id=named', { messages: [{ role: 'user', content }] }, team));
    const shared = (await (await call(BOB, 'POST', '/share', { path: 'chat/named' }, team)).json()) as { url: string };
    const { pathname, search } = new URL(shared.url, 'http://agent');
    const data = await get(`${pathname.replace('/shared/', '/share/')}/data${search}`);
    expect([data.status, data.text.includes('/share/')]).toEqual([200, false]);
  });

  it('is not there for tools that read, search, write and delete', async () => {
    const places = ['links/file-0.txt', `links/folder-0/${NAME}`, `links/relative-0/${NAME}`, `../${NAME}`];
    for (const place of [...places, path.relative(folder, path.join(others[0] as string, NAME))]) {
      for (const [tool, args] of [
        ['read_file', { path: place }],
        ['edit_file', { path: place, old_text: CANARY, new_text: 'x' }],
        ['write_file', { path: place, content: 'overwritten' }],
      ] as const) {
        expect([tool, place, await use(tool, args)]).not.toContain(CANARY);
      }
    }
    for (const [tool, args] of [
      ['list_files', { path: 'links/folder-0' }],
      ['list_files', { path: '..' }],
      ['search_files', { text: CANARY }],
    ] as const) {
      expect(await use(tool, args)).not.toMatch(new RegExp(`${CANARY}|${NAME}`));
    }
    for (const workspace of [sibling, undefined]) {
      const answer = await call(ANN, 'GET', `/files/${NAME}`, undefined, workspace);
      expect(await answer.text()).toBe(CANARY);
    }
  });

  it.skipIf(problem !== undefined)('is not there for commands, by no way', async () => {
    const commands = [
      `cat links/file-* links/folder-*/* links/relative-*/* ${others.map((one) => `${one}/*`).join(' ')}`,
      // Skips the system's many programs, which contain no data of the agent.
      `find / \\( -path /usr -o -path /proc -o -path /dev -o -path /nix \\) -prune -o -type f -exec grep -s ${CANARY} {} +`,
      `find / \\( -path /usr -o -path /proc -o -path /dev -o -path /nix \\) -prune -o -name '${NAME}' -print 2>/dev/null`,
      'for p in /proc/[0-9]*; do cat $p/environ; ls $p/cwd/ $p/root/ $p/root/workspace/../ $p/fd/; done',
      `cat ../*/${NAME} ../../*/${NAME}; cat /proc/self/root/../../*/${NAME}; ls -a .. ../..`,
      `ln -s ${others[0]} up && cat up/${NAME}; ln ${others[0]}/${NAME} hard && cat hard; mount --bind ${others[0]} /mnt`,
    ];
    for (const command of commands) {
      const text = await use('run_command', { command: `${command}; true` });
      expect(text).toMatch(/^Exit code 0/);
      expect([command, text]).not.toEqual([command, expect.stringMatching(new RegExp(`${CANARY}|^/.*${NAME}$`, 'm'))]);
    }
    expect(await use('run_command', { command: 'cat own.txt; ls' })).toContain('of the team');
    // The link that a command created isn't followed either.
    expect((await get(`/files/up/${NAME}`)).status).toBe(404);
    expect((await get('/files/hard')).status).toBe(404);
  });
});
