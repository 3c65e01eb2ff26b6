import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAddressRule } from '@berth/outbound';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createGit } from '../create-git.ts';
import { createGitFixture, type GitFixture, OWNER } from '../testing/git-fixture.ts';
import { git } from '../testing/serve-repositories.ts';
import { serveOverSsh } from '../testing/serve-ssh.ts';
import { createDeployKeyPair } from './ssh.ts';

let fixture: GitFixture;
let keys: Awaited<ReturnType<typeof createDeployKeyPair>>;
let commit: string;

beforeAll(async () => {
  fixture = await createGitFixture();
  keys = await createDeployKeyPair('berth');
  const shop = join(fixture.scratch, 'shop');
  await mkdir(shop);
  await git(shop, 'init', '-q', '-b', 'main');
  await writeFile(join(shop, 'large.bin'), Buffer.alloc(3 * 2 ** 20, 'not compressed'));
  await git(shop, 'add', '.');
  await git(shop, 'commit', '-qm', 'One');
  commit = await git(shop, 'rev-parse', 'HEAD');
});
afterAll(() => fixture[Symbol.asyncDispose]());

const fetchBy = async (url: string, key: { privateKey: string; hostKey: string }, which: object = { commit }) => {
  await using into = await fixture.git.openRepository(OWNER);
  return await fixture.git.fetchCommit({ url, deployKey: key, into, ...which });
};

it('a commit is fetched over SSH by a deploy key, from the server whose key was pinned', async () => {
  await using server = await serveOverSsh(fixture.scratch, keys.public);
  const url = `${server.url}/shop/.git`;
  const hostKey = await fixture.git.readHostKey({ url });
  expect(hostKey).toBe(server.hostKey);
  expect(server.commands).toEqual([]);
  const key = { privateKey: keys.private, hostKey };
  expect(await fetchBy(url, key)).toEqual({ commit, subject: 'One' });
  // By a reference, which takes two commands of one connection.
  expect(await fetchBy(url, key, { ref: 'main' })).toMatchObject({ commit });
  expect(server.commands).toEqual(["git-upload-pack '/shop/.git'", "git-upload-pack '/shop/.git'"]);
  await expect(fetchBy(url, key, { commit: 'f'.repeat(40) })).rejects.toMatchObject({ code: 'not_found' });
  await expect(fetchBy(`${server.url}/none.git`, key)).rejects.toMatchObject({ code: 'forbidden' });
});

it('another key is refused, and a server with another host key gets nothing', async () => {
  await using server = await serveOverSsh(fixture.scratch, keys.public);
  const url = `${server.url}/shop/.git`;
  const other = await createDeployKeyPair('other');
  await expect(fetchBy(url, { privateKey: other.private, hostKey: server.hostKey })).rejects.toThrow('deploy key');
  const wrong = { privateKey: keys.private, hostKey: `SHA256:${'a'.repeat(43)}` };
  await expect(fetchBy(url, wrong)).rejects.toThrow('another host key');
  expect(server.commands).toEqual([]);
});

it('a private address, a path for a shell and an old server are refused', async () => {
  await using server = await serveOverSsh(fixture.scratch, keys.public, { version: '0' });
  const url = `${server.url}/shop/.git`;
  const key = { privateKey: keys.private, hostKey: server.hostKey };
  await expect(fetchBy(url, key)).rejects.toThrow('version 2');
  for (const path of ["/shop'; touch x; '", '/shop$(x)', '/a b', '/shop?x', '']) {
    await expect(fetchBy(`${server.url}${path}`, key)).rejects.toMatchObject({ code: 'bad_request' });
  }
  const guarded = createGit({ sandbox: undefined, workFolder: fixture.workFolder, isAllowed: createAddressRule() });
  await expect(guarded.readHostKey({ url })).rejects.toMatchObject({ code: 'bad_request' });
  await expect(fixture.git.readHostKey({ url: 'ssh://git@127.0.0.1:1/x.git' })).rejects.toMatchObject({
    code: 'unavailable',
  });
});

it('a server that says nothing is given up, and so is a fetch that is aborted', async () => {
  await using server = await serveOverSsh(fixture.scratch, keys.public);
  const stop = new AbortController();
  stop.abort(new Error('enough'));
  await using into = await fixture.git.openRepository(OWNER);
  const deployKey = { privateKey: keys.private, hostKey: server.hostKey };
  const fetching = fixture.git.fetchCommit({
    url: `${server.url}/shop/.git`,
    commit,
    deployKey,
    into,
    signal: stop.signal,
  });
  await expect(fetching).rejects.toThrow('enough');
});
