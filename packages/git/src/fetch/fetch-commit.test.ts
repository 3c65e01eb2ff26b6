import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAddressRule } from '@berth/outbound';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGit } from '../create-git.ts';
import { createGitFixture, type GitFixture, OWNER } from '../testing/git-fixture.ts';
import { type GitServer, git, serveRepositories } from '../testing/serve-repositories.ts';

let fixture: GitFixture;
let server: GitServer;
let shop: string;

beforeAll(async () => {
  fixture = await createGitFixture();
  server = await serveRepositories(fixture.scratch);
  shop = join(fixture.scratch, 'shop');
  await mkdir(join(shop, 'apps/web'), { recursive: true });
  await git(shop, 'init', '-q', '-b', 'main');
  for (const version of ['one', 'two']) {
    await writeFile(join(shop, 'version.txt'), version);
    await writeFile(join(shop, 'apps/web/index.html'), version);
    await git(shop, 'add', '.');
    await git(shop, 'commit', '-qm', `Version ${version}\n\nWith a body.`);
  }
  await git(shop, 'tag', '-am', 'first', 'v1', 'HEAD~1');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

const list = (path: string) => execFileSync('tar', ['-tf', path], { encoding: 'utf8' }).trim().split('\n').sort();

describe('a commit of a remote', () => {
  it.each([
    ['the default branch', {}, 'Version two'],
    ['a branch', { ref: 'main' }, 'Version two'],
    ['an annotated tag', { ref: 'v1' }, 'Version one'],
  ])('is fetched by %s, without its history', async (_title, which, subject) => {
    await using into = await fixture.git.openRepository(OWNER);
    const fetched = await fixture.git.fetchCommit({ url: `${server.url}/shop/.git`, ...which, into });
    expect(fetched.subject).toBe(subject);
    expect(fetched.commit).toBe(await git(shop, 'rev-parse', subject === 'Version two' ? 'main' : 'v1^{commit}'));
    const { path } = await fixture.git.archiveCommit({ repository: into, commit: fetched.commit });
    expect(list(path)).toEqual(['apps/', 'apps/web/', 'apps/web/index.html', 'version.txt']);
    await expect(into.run(['cat-file', '-e', `${fetched.commit}^`])).rejects.toThrow('Git refused');
  });

  it('is fetched by its id, through a redirect, and one folder of it archived', async () => {
    const commit = await git(shop, 'rev-parse', 'HEAD~1');
    await using into = await fixture.git.openRepository(OWNER);
    await fixture.git.fetchCommit({ url: `${server.url}/moved/shop/.git/`, commit, into });
    const archive = await fixture.git.archiveCommit({ repository: into, commit, folder: '/apps/web/' });
    expect(list(archive.path)).toEqual(['index.html']);
    expect(archive.sizeBytes).toBeGreaterThan(50);
    const missing = fixture.git.archiveCommit({ repository: into, commit, folder: 'apps/none' });
    await expect(missing).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is fetched with credentials, which the sandbox never sees', async () => {
    await using locked = await serveRepositories(fixture.scratch, 'token-1');
    const url = `${locked.url}/shop/.git`;
    await using into = await fixture.git.openRepository(OWNER);
    await expect(fixture.git.fetchCommit({ url, into })).rejects.toMatchObject({ code: 'forbidden' });
    await fixture.git.fetchCommit({ url, into, credentials: { username: 'x', password: 'token-1' } });
    expect(JSON.stringify(fixture.commands)).not.toMatch(/token-1|eDp0b2tlbi0x/);
  });

  it.each([
    ['an unknown branch', { ref: 'none' }, 'not_found'],
    ['an unknown commit', { commit: 'a'.repeat(40) }, 'not_found'],
    ['an option in place of a branch', { ref: '--upload-pack=touch /tmp/x' }, 'bad_request'],
    ['part of an id', { commit: 'abc' }, 'bad_request'],
  ])('%s is refused', async (_title, which, code) => {
    await using into = await fixture.git.openRepository(OWNER);
    const fetched = fixture.git.fetchCommit({ url: `${server.url}/shop/.git`, ...which, into });
    await expect(fetched).rejects.toMatchObject({ code });
  });

  it.each([
    ['no repository', '/none', 'not_found'],
    ['a local path', 'file:///etc', 'bad_request'],
    ['a transport that runs a program', 'ext::sh -c touch% /tmp/x', 'bad_request'],
    ['ssh', 'ssh://git@example.com/a', 'bad_request'],
    ['credentials in the URL', 'https://x:y@example.com/a', 'bad_request'],
  ])('a URL of %s is refused', async (_title, path, code) => {
    await using into = await fixture.git.openRepository(OWNER);
    const url = path.startsWith('/') ? `${server.url}${path}` : path;
    await expect(fixture.git.fetchCommit({ url, into })).rejects.toMatchObject({ code });
  });

  it('above the limit is refused', async () => {
    await using small = await createGitFixture({ limits: { packBytes: 100 } });
    await using into = await small.git.openRepository(OWNER);
    const fetched = small.git.fetchCommit({ url: `${server.url}/shop/.git`, into });
    await expect(fetched).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  it('at a private address is refused before a connection', async () => {
    const seen = server.requests.length;
    await using guarded = await createGitFixture({
      isAllowed: createAddressRule(),
      resolve: async () => ['127.0.0.1'],
    });
    await using into = await guarded.git.openRepository(OWNER);
    for (const url of [server.url, server.url.replace('127.0.0.1', 'git.example.com')]) {
      const fetched = guarded.git.fetchCommit({ url: `${url}/shop/.git`, into });
      await expect(fetched).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringMatching(/non-public/),
      });
    }
    expect(server.requests).toHaveLength(seen);
  });
});

it('hostile contents run nothing, and leave nothing behind', async () => {
  const hostile = join(fixture.scratch, 'hostile');
  const mark = join(fixture.scratch, 'ran');
  await mkdir(hostile);
  await git(hostile, 'init', '-q', '-b', 'main');
  const sub = join(fixture.scratch, 'shop');
  await git(hostile, 'submodule', '--quiet', 'add', sub, 'sub');
  await writeFile(join(hostile, '.gitmodules'), `[submodule "sub"]\n\tpath = sub\n\turl = ext::sh -c touch% ${mark}\n`);
  await writeFile(
    join(hostile, '.gitattributes'),
    '* filter=evil diff=evil\nsecret export-ignore\n*.txt export-subst\n',
  );
  await writeFile(join(hostile, '.gitconfig'), `[filter "evil"]\n\tsmudge = touch ${mark}\n`);
  await writeFile(join(hostile, 'a.txt'), '$Format:%H%(describe)$');
  await symlink('/etc/passwd', join(hostile, 'link'));
  await git(hostile, 'add', '.');
  await git(hostile, 'commit', '-qm', 'Hostile');
  await git(hostile, 'config', 'filter.evil.smudge', `touch ${mark}`);
  await writeFile(join(hostile, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  {
    await using into = await fixture.git.openRepository(OWNER);
    const { commit } = await fixture.git.fetchCommit({ url: `${server.url}/hostile/.git`, into });
    const { path } = await fixture.git.archiveCommit({ repository: into, commit });
    // The link is in the archive as a link, for the intake to judge; the submodule is an empty folder.
    expect(list(path)).toEqual(['.gitattributes', '.gitconfig', '.gitmodules', 'a.txt', 'link', 'sub/']);
    expect(fixture.commands.every(({ env }) => env['GIT_ALLOW_PROTOCOL'] === '')).toBe(true);
  }
  expect(await readdir(fixture.scratch)).not.toContain('ran');
  expect(await readdir(fixture.workFolder)).toEqual([]);
});

it('a server without Git, or without a sandbox, says so', async () => {
  const sandbox = { findProgram: async () => undefined } as never;
  for (const one of [undefined, sandbox]) {
    const bare = createGit({ sandbox: one, workFolder: '/none', isAllowed: () => true });
    await expect(bare.openRepository(OWNER)).rejects.toMatchObject({ code: 'not_available', status: 501 });
  }
});
