import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Workspace } from '@berth/contract/agent';
import { expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../../testing/open-test-agent.ts';
import { readTurn } from '../../testing/read-turn.ts';

/** Users with and without an organization. */
const PEOPLE = [
  ['alice', 'alice', 'alice'],
  ['bob.acme', 'bob', 'acme:bob'],
] as const;

/** The data of a person, as returned by the agent. */
async function told(fixture: TestAgent, token: string, workspace?: string) {
  const headers: Record<string, string> = workspace === undefined ? {} : { 'X-Workspace': workspace };
  const read = async (target: string) => {
    const answer = await fixture.call(token, 'GET', target, undefined, headers);
    // The second agent listens at another port.
    return [target, answer.status, (await answer.text()).replaceAll(fixture.url, '')];
  };
  const targets = ['/chats', '/chats/kept', '/files?recursive', '/files/notes/a.txt', '/trash', '/share', '/tools'];
  return Promise.all([...targets, '/apps/poll/data', '/apps/poll/data/mine?who=me'].map(read));
}

// Holds the agent to the contract: verifies('workspace.solo')
it('an agent that is opened for teams has all that people kept of it before', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'agent-solo-'));
  const before = new Map<string, unknown>();
  const shares = new Map<string, string>();
  const sharedData = async (fixture: TestAgent, share: string) => {
    const answer = await fixture.call(undefined, 'GET', `${share}/data`);
    const text = await answer.text();
    const file = /\/share\/[^"?)]+\.txt/.exec(text)?.[0] ?? '';
    return [answer.status, text, await (await fixture.call(undefined, 'GET', file)).text()];
  };
  {
    await using solo = await openTestAgent({ dataFolder: folder.path });
    for (const [token, id, key] of PEOPLE) {
      const call = (method: string, target: string, body?: unknown) => solo.call(token, method, target, body);
      await call('PUT', '/files/notes/a.txt', new Blob([`notes of ${id}`]));
      await call('PUT', '/files/deleted.txt', new Blob(['deleted']));
      await call('DELETE', '/files/deleted.txt');
      const content = `see [notes](/files/notes/a.txt), says ${id}`;
      for (const chat of ['kept', 'deleted']) {
        await readTurn(await call('POST', `/?id=${chat}`, { messages: [{ role: 'user', content }] }));
      }
      await call('DELETE', '/chats/deleted');
      const { token: shared } = (await (await call('POST', '/share', { path: 'chat/kept' })).json()) as {
        token: string;
      };
      shares.set(token, `/share/${encodeURIComponent(key)}/${shared}`);
      await call('PUT', '/tools/run_command', { mode: 'never' });
      await call('PUT', '/apps/poll/data/all', { votes: id });
      await call('PUT', '/apps/poll/data/mine?who=me', { vote: id });
      before.set(token, [await told(solo, token), await sharedData(solo, shares.get(token) as string)]);
      // Without teams the header is ignored.
      expect(await told(solo, token, 't-shared')).toEqual(await told(solo, token));
      expect((await call('GET', '/workspaces')).status).toBe(404);
    }
  }
  await using fixture = await openTestAgent({ dataFolder: folder.path, workspaces: 'member' });
  for (const [token, id] of PEOPLE) {
    const share = shares.get(token) as string;
    expect([await told(fixture, token), await sharedData(fixture, share)]).toEqual(before.get(token));
    expect(await told(fixture, token, `u-${id}`)).toEqual(await told(fixture, token));
    const trash = (await (await fixture.call(token, 'GET', '/trash')).json()) as { id: string; path: string }[];
    for (const one of trash) expect((await fixture.call(token, 'POST', `/trash/${one.id}/restore`)).status).toBe(200);
    expect(await (await fixture.call(token, 'GET', '/files/deleted.txt')).text()).toBe('deleted');
    expect((await fixture.call(token, 'GET', '/chats/deleted')).status).toBe(200);
    const workspaces = (await (await fixture.call(token, 'GET', '/workspaces')).json()) as Workspace[];
    expect(workspaces[0]).toMatchObject({ id: `u-${id}`, type: 'personal', role: 'owner' });
    const { id: team } = (await (
      await fixture.call(token, 'POST', '/workspaces', { name: `Of ${id}` })
    ).json()) as Workspace;
    expect(await (await fixture.call(token, 'GET', '/files', undefined, { 'X-Workspace': team })).json()).toEqual([]);
  }
});
