import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { SharedData, TrashItem, Workspace } from '@berth/contract/agent';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../../testing/open-test-agent.ts';
import { readTurn } from '../../testing/read-turn.ts';

const [ANN, BOB, EVE, CAROL] = ['ann.acme', 'bob.acme', 'eve.other', 'carol.acme.admin'] as const;

let fixture: TestAgent;

beforeAll(async () => {
  fixture = await openTestAgent({
    workspaces: 'member',
    async *handler({ messages, workspace }) {
      yield `In ${workspace.id}: ${messages.length}, ![picture](/files/picture.png)`;
    },
  });
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Calls of a user in a team or, without one, in their personal workspace. */
function inside(token: string, team?: string) {
  const headers: Record<string, string> = team === undefined ? {} : { 'X-Workspace': team };
  const call = (method: string, target: string, body?: unknown) => fixture.call(token, method, target, body, headers);
  return {
    call,
    status: async (method: string, target: string, body?: unknown) => (await call(method, target, body)).status,
    json: async <Value>(method: string, target: string, body?: unknown) =>
      (await (await call(method, target, body)).json()) as Value,
    write: (path: string, text: string) => call('PUT', `/files/${path}`, new Blob([text])),
    say: async (chat: string, text = 'hi') =>
      (await readTurn(await call('POST', `/?id=${chat}`, { messages: [{ role: 'user', content: text }] }))).text,
    remove: async (path: string) => {
      const answer = await call('DELETE', `/files/${path}`);
      return ((await answer.json()) as { trash_id: string }).trash_id;
    },
  };
}

/** A team of Ann's with Bob in it, as an editor unless said otherwise. */
async function makeTeam(name: string, role = 'editor') {
  const { id } = await inside(ANN).json<Workspace>('POST', '/workspaces', { name });
  expect(await inside(ANN).status('PUT', `/workspaces/${id}/members/bob`, { role })).toBe(200);
  return { id, ann: inside(ANN, id), bob: inside(BOB, id) };
}

const pathsIn = async (who: ReturnType<typeof inside>) =>
  (await who.json<{ path: string }[]>('GET', '/files?recursive')).map(({ path }) => path);

describe('in a team', () => {
  it('files are everybody’s, listed, searched, zipped and served there and nowhere else', async () => {
    const { ann, bob } = await makeTeam('files');
    await ann.write('plans/secret.txt', 'ours');
    await inside(ANN).write('own.txt', 'mine');
    expect(await pathsIn(bob)).toEqual(['plans', 'plans/secret.txt']);
    expect(await (await bob.call('GET', '/files/plans/secret.txt')).text()).toBe('ours');
    expect((await (await bob.call('GET', '/files/plans')).text()).slice(0, 2)).toBe('PK');
    expect(await bob.json<unknown[]>('GET', '/files?search=own')).toEqual([]);
    expect(await inside(ANN).json<unknown[]>('GET', '/files?search=secret')).toEqual([]);
    expect(await inside(BOB).status('GET', '/files/plans/secret.txt')).toBe(404);
    expect(await inside(ANN).status('GET', '/files/plans/secret.txt')).toBe(404);
  });

  it('chats, their runs and what a person lets tools do are the person’s own', async () => {
    // Holds the agent to the contract: verifies('workspace.person')
    const { id, ann, bob } = await makeTeam('chats');
    await inside(ANN).say('c');
    expect(await ann.status('GET', '/chats/c')).toBe(204);
    expect(await ann.say('c', 'first')).toContain(`In ${id}: 1`);
    expect(await ann.say('c', 'again')).toContain(`In ${id}: 3`);
    expect(await bob.say('c', 'of bob')).toContain(`In ${id}: 1`);
    expect(await inside(ANN).say('c')).toContain('In u-ann: 3');
    const titles = async (who: ReturnType<typeof inside>) =>
      (await who.json<{ title: string }[]>('GET', '/chats')).map(({ title }) => title);
    expect([await titles(ann), await titles(bob), await titles(inside(ANN))]).toEqual([['first'], ['of bob'], ['hi']]);
    // A run of the chat of that id in another workspace is not followed or stopped from here.
    expect(await (await bob.call('GET', '/chats/c/stream')).text()).toContain('In t-');
    await inside(BOB).call('PUT', '/chats/d', { title: 'd' });
    expect(await bob.status('POST', '/chats/d/stop')).toBe(404);
    expect(await bob.status('DELETE', '/chats/d')).toBe(404);
    expect(await bob.status('DELETE', '/chats/d/last-exchange')).toBe(404);
    await bob.call('PUT', '/tools/run_command', { mode: 'never' });
    expect(await bob.json('GET', '/tools')).toEqual({ run_command: 'never' });
    expect([await ann.json('GET', '/tools'), await inside(BOB).json('GET', '/tools')]).toEqual([{}, {}]);
    const completion = await bob.json<{ choices: { message: { content: string } }[] }>('POST', '/chat/completions', {
      stream: false,
      model: 'any',
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(completion.choices[0]?.message.content).toContain(`In ${id}`);
  });

  it('what is deleted is everybody’s to have back, and its owner’s and admins’ to delete for good', async () => {
    // Holds the agent to the contract: verifies('workspace.trash')
    const { id, ann, bob } = await makeTeam('trash');
    for (const name of ['a', 'b', 'c']) await ann.write(`${name}.txt`, name);
    const ids = [await ann.remove('a.txt'), await bob.remove('b.txt'), await ann.remove('c.txt')] as const;
    await ann.say('c');
    await ann.call('DELETE', '/chats/c');
    const listed = async (who: ReturnType<typeof inside>) =>
      (await who.json<TrashItem[]>('GET', '/trash')).map(({ path, by }) => `${path} ${by}`).sort();
    expect(await listed(bob)).toEqual(['a.txt user', 'b.txt user', 'c.txt user']);
    expect(await listed(ann)).toEqual(['a.txt user', 'b.txt user', 'c.txt user', 'hi user']);
    expect(await inside(BOB).json('GET', '/trash')).toEqual([]);
    expect(await bob.status('POST', `/trash/${ids[0]}/restore`)).toBe(200);
    // Other people's chats aren't found. Editors can't delete files permanently, whether or not they exist.
    expect(await bob.status('POST', '/trash/chat:c/restore')).toBe(404);
    expect(await bob.status('DELETE', '/trash/chat:c')).toBe(404);
    for (const one of [ids[1], 'trash_never']) expect(await bob.status('DELETE', `/trash/${one}`)).toBe(403);
    expect(await bob.status('DELETE', '/trash')).toBe(403);
    await bob.say('d');
    await bob.call('DELETE', '/chats/d');
    expect(await bob.status('DELETE', '/trash/chat:d')).toBe(200);
    expect(await listed(ann)).toHaveLength(3);
    expect(await inside(ANN).status('PUT', `/workspaces/${id}/members/bob`, { role: 'admin' })).toBe(200);
    expect(await bob.status('DELETE', `/trash/${ids[1]}`)).toBe(200);
    expect(await bob.status('DELETE', '/trash')).toBe(200);
    // Of other people's entries, only files were deleted.
    expect(await listed(ann)).toEqual(['hi user']);
  });

  it('rows of apps are the team’s; those of one person are shown to its owner and admins', async () => {
    // Holds the agent to the contract: verifies('app.who')
    const { ann, bob } = await makeTeam('apps');
    await bob.call('PUT', '/apps/votes/data/open', { a: 1 });
    await bob.call('PUT', '/apps/votes/data/mine?who=me', { b: 2 });
    expect(await ann.json('GET', '/apps/votes/data/open')).toMatchObject({ value: { a: 1 } });
    expect(await ann.json('GET', '/apps/votes/data/mine?who=bob')).toMatchObject({ value: { b: 2 } });
    expect(await ann.json('GET', '/apps/votes/data?who=all')).toMatchObject({ rows: [{ key: 'mine', who: 'bob' }] });
    for (const who of ['all', 'ann']) expect(await bob.status('GET', `/apps/votes/data?who=${who}`)).toBe(403);
    expect(await inside(BOB).status('GET', '/apps/votes/data/open')).toBe(404);
    expect(await inside(CAROL).json('GET', '/apps/votes/data?who=all')).toMatchObject({ rows: [] });
  });
});

it('a header that comes twice names no workspace, not even one’s own', async () => {
  // Holds the agent to the contract: verifies('workspace.alike')
  const { id } = await makeTeam('doubled');
  for (const named of [
    [id, id],
    ['u-ann', 'u-ann'],
    [id, 'u-ann'],
  ]) {
    const asked = request(`${fixture.url}/files`, {
      headers: { Authorization: `Bearer ${ANN}`, 'X-Workspace': named },
    }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect([named, answer.statusCode]).toEqual([named, 404]);
    answer.resume();
  }
});

describe('what is shared in a team', () => {
  const dataPath = (url: string) => {
    const { pathname, search } = new URL(url, fixture.url);
    return `${pathname.replace('/shared/', '/share/')}/data${search}`;
  };
  const read = async (target: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fixture.call(undefined, 'GET', target, undefined, headers);
    return { status: answer.status, text: await answer.text() };
  };

  it('is named by the team in each of its addresses, and listed there', async () => {
    // Holds the agent to the contract: verifies('workspace.share')
    const { id, ann, bob } = await makeTeam('sharing');
    await ann.write('picture.png', 'a picture');
    await inside(BOB).write('picture.png', 'another');
    await bob.say('c');
    const { url, token } = await bob.json<{ url: string; token: string }>('POST', '/share', { path: 'chat/c' });
    expect(url).toMatch(new RegExp(`^/shared/[0-9a-f]{16}/${token}\\?ws=${id}$`));
    expect((await read(url)).status).toBe(200);
    // Public routes ignore the header.
    const shown = await read(dataPath(url), { 'X-Workspace': 't-foreign' });
    const data = JSON.parse(shown.text) as Extract<SharedData, { type: 'chat' }>;
    const [link = ''] = /\/share\/[^)]+/.exec(JSON.stringify(data.messages)) ?? [];
    expect(link).toMatch(new RegExp(`\\?ws=${id}$`));
    expect((await read(link)).text).toBe('a picture');
    expect(await bob.json<unknown[]>('GET', '/share')).toHaveLength(1);
    expect([await ann.json('GET', '/share'), await inside(BOB).json('GET', '/share')]).toEqual([[], []]);
    const dead = await read(`/share/nobody/${token}/data`);
    const plain = dataPath(url).replace(/\?.*/, '');
    const memberKey = `/share/${encodeURIComponent(`acme:bob::${id}`)}/${token}/data`;
    const others = [plain, `${plain}?ws=t-shared`, `${plain}?ws=u-bob`, `${plain}?ws=`, `${plain}?ws=u-ann`, memberKey];
    for (const target of [...others, `${memberKey}?ws=${id}`])
      expect([target, await read(target)]).toEqual([target, dead]);

    // The copy is created in the workspace of its new owner's request.
    const fork = `${dataPath(url).replace('/data', '/fork')}`;
    const eve = await inside(EVE).json<{ id: string }>('POST', fork);
    expect(await inside(EVE).status('GET', `/chats/${eve.id}`)).toBe(200);
    expect(await (await inside(EVE).call('GET', '/files/picture.png')).text()).toBe('a picture');
    const copy = await ann.json<{ id: string }>('POST', fork);
    expect(await ann.status('GET', `/chats/${copy.id}`)).toBe(200);
    expect(await inside(ANN).status('GET', `/chats/${copy.id}`)).toBe(204);
    expect(await pathsIn(ann)).toContain('picture (2).png');
    // It can also be one of the agent's examples.
    await using other = await openTestAgent({
      dataFolder: fixture.dataFolder,
      workspaces: 'member',
      examples: [{ label: 'Teams', shares: [url, url.replace(/\?.*/, '')] }],
    });
    const examples = await (await other.call(undefined, 'GET', '/examples')).json();
    expect(examples).toMatchObject({ categories: [{ items: [{ share: url, prompt: 'hi' }] }] });
    expect(await bob.status('DELETE', `/share/${token}`)).toBe(200);
    expect(await read(dataPath(url))).toEqual(dead);
  });

  it('is not shown any more when who shared it has left, frozen or live, and is when they are back', async () => {
    // Holds the agent to the contract: verifies('workspace.share')
    const { id, ann, bob } = await makeTeam('leaving');
    await ann.write('a.txt', 'ours');
    const urls = await Promise.all(
      [false, true].map(
        async (live) => (await bob.json<{ url: string }>('POST', '/share', { path: 'file/a.txt', live })).url,
      ),
    );
    const statuses = () => Promise.all(urls.map(async (url) => (await read(dataPath(url))).status));
    expect(await statuses()).toEqual([200, 200]);
    await inside(ANN).call('DELETE', `/workspaces/${id}/members/bob`);
    expect(await statuses()).toEqual([404, 404]);
    await inside(ANN).call('PUT', `/workspaces/${id}/members/bob`, { role: 'editor' });
    expect(await statuses()).toEqual([200, 200]);
    // An org admin can share the team's data without being a member.
    const carols = await inside(CAROL, id).json<{ url: string }>('POST', '/share', { path: 'file/a.txt' });
    expect((await read(dataPath(carols.url))).status).toBe(200);
    await inside(ANN).call('DELETE', `/workspaces/${id}`);
    expect(await statuses()).toEqual([404, 404]);
    expect((await read(dataPath(carols.url))).status).toBe(404);
  });
});
