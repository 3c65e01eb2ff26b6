import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { createAccount, createKey } from '../harness/accounts.ts';
import { linked, remoteCommit, remoteOf, runGit, scratch } from '../harness/git.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { openRawConnection } from '../harness/raw-connection.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

describe('attacks with git', () => {
  const berth = useBerth();

  it.each([
    ['no key', undefined, 401],
    ['an unknown key', 'nothing', 401],
    ['a key that may only read', 'read', 403],
  ])('a push with %s is refused', async (_title, kind, status) => {
    const key = kind === 'read' ? (await createKey(berth, { scopes: ['read'] })).secret : kind;
    const headers = key === undefined ? {} : { Authorization: `Basic ${btoa(`x:${key}`)}` };
    for (const url of ['info/refs?service=git-receive-pack', 'git-receive-pack']) {
      const method = url.startsWith('info') ? 'GET' : 'POST';
      const answer = await fetch(`${berth.url}/git/app.git/${url}`, { method, headers });
      expect([url, answer.status]).toEqual([url, status]);
      if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
    }
  });

  it("another account's repository is refused for reading and writing", async () => {
    verifies('git.scopes');
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    await clone.commit(greeter('mine'));
    await clone.git('push', 'berth', 'main');
    const { key } = await createAccount(berth, uniqueName('other'));
    await clone.commit({ 'a.txt': 'a' });
    for (const words of [
      ['push', remoteOf(berth, name, key), 'main'],
      ['fetch', remoteOf(berth, name, key)],
    ]) {
      expect((await clone.git(...words)).output).toContain('403');
    }
    expect((await berth.api(`/v1/git/${name}`, { headers: { 'X-API-Key': key } })).status).toBe(403);
    const readOnly = await createKey(berth, { scopes: ['read'] });
    expect((await clone.git('fetch', remoteOf(berth, name, readOnly.secret))).code).toBe(0);
    expect((await clone.git('push', remoteOf(berth, name, readOnly.secret), 'main')).output).toContain('403');
  });

  it.each([
    '/git/../../etc/passwd.git/info/refs?service=git-upload-pack',
    '/git/%2e%2e%2f%2e%2e%2fetc.git/info/refs?service=git-upload-pack',
    '/git/..%00.git/info/refs?service=git-upload-pack',
    '/git/a/b.git/info/refs?service=git-upload-pack',
    '/git/--upload-pack=touch.git/info/refs?service=git-upload-pack',
    '/git/app.git/objects/info/packs',
    '/git/app.git/HEAD',
    '/git/app.git/info/refs?service=git-upload-archive',
    '/git/app.git/info/refs',
    '/git/.git/info/refs?service=git-receive-pack',
    '/git/API.git/info/refs?service=git-receive-pack',
  ])('the path %s finds nothing', async (target) => {
    using raw = await openRawConnection(berth.port);
    await raw.send(
      `GET ${target} HTTP/1.1\r\nHost: ${berth.host}:${berth.port}\r\nX-API-Key: ${berth.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(await raw.receiveAll()).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it('what is no push is refused, and the server goes on', async () => {
    const send = async (body: Uint8Array | string, type = 'git-receive-pack') => {
      const answer = await fetch(`${berth.url}/git/${uniqueName('bad')}.git/${type}`, {
        ...{ method: 'POST', headers: { 'X-API-Key': berth.key }, body: body as BodyInit },
      });
      return `${answer.status} ${await answer.text()}`;
    };
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
    const create = (ref: string) => line(`${'0'.repeat(40)} ${'a'.repeat(40)} ${ref}\0report-status\n`);
    expect(await send('GET / HTTP/1.1')).toMatch(/^400 /);
    expect(await send('ffff')).toMatch(/^400 /);
    expect(await send('0000')).toBe('200 ');
    expect(await send(line('x y z\n'))).toMatch(/^400 /);
    expect(await send(`${create('refs/heads/../../config')}0000`)).toMatch(/ng refs\/heads\/\.\.\/\.\.\/config/);
    expect(await send(`${create('refs/heads/main')}0000PACK`)).toMatch(/ng refs\/heads\/main Git refused/);
    expect(await send(`${create('refs/heads/main')}0000${randomBytes(4_000).toString('latin1')}`)).toMatch(/ng /);
  });

  it('a push of 40 MB, which Git sends in chunks, arrives whole', async () => {
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    await clone.commit({ ...greeter('large'), 'large.bin': randomBytes(40e6) });
    expect((await clone.git('push', 'berth', 'main')).code).toBe(0);
    const folder = scratch();
    expect((await runGit(folder, ['clone', '-q', remoteOf(berth, name), 'copy'])).code).toBe(0);
    const copy = readFileSync(path.join(folder, 'copy/large.bin'));
    expect(copy.equals(readFileSync(path.join(clone.folder, 'large.bin')))).toBe(true);
  });

  it('hooks, configuration and submodules of the repository run nothing', async () => {
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    const mark = path.join(scratch(), 'ran');
    for (const hook of ['post-receive', 'pre-receive', 'update']) {
      writeFileSync(path.join(clone.folder, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    }
    await clone.commit({
      ...greeter('safe'),
      '.gitattributes': '*.js filter=evil\n* export-subst\n',
      '.gitmodules': `[submodule "s"]\n\tpath = s\n\turl = ext::sh -c touch% ${mark}\n`,
      'hooks/post-receive': `#!/bin/sh\ntouch ${mark}\n`,
      config: `[core]\n\tfsmonitor = touch ${mark}\n`,
    });
    expect((await clone.git('push', 'berth', 'main')).code).toBe(0);
    expect((await request(berth, name)).text).toBe('safe');
    expect(existsSync(mark)).toBe(false);
  });

  it('a symlink out of the tree is refused as in any archive', async () => {
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    symlinkSync('/etc/passwd', path.join(clone.folder, 'link'));
    await clone.commit(greeter('linked'));
    const refused = await clone.git('push', 'berth', 'main');
    expect(refused.output).toMatch(/remote rejected.*"link" is a link to the absolute path/);
    expect(await remoteCommit(clone)).toBeUndefined();
  });
});
