import { symlink } from 'node:fs/promises';
import path from 'node:path';
import type { OwnerKey } from '@berth/agent-store';
import { describe, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { workspaceFolder } from './workspace-folder.ts';

const put = (fixture: TestAgent, name: string, body: BodyInit, token = 'alice') =>
  fixture.call(token, 'PUT', `/files/${name}`, body);
const get = (fixture: TestAgent, target: string, headers: Record<string, string> = {}) =>
  fetch(fixture.url + target, { headers: { Authorization: 'Bearer alice', ...headers } });

function form(...files: readonly (readonly [field: string, name: string, text: string])[]): FormData {
  const data = new FormData();
  for (const [field, name, text] of files) data.append(field, new File([text], name));
  return data;
}

describe('PUT and GET /files/{path}', () => {
  // Holds the agent to the contract: verifies('agent.file-headers'), verifies('files.read'), verifies('files.write')
  it('store bytes and give them back with what makes them safe to open', async () => {
    await using fixture = await openTestAgent();
    const stored = await put(fixture, 'notes/to%20do.txt', 'milk');
    expect([stored.status, await stored.json()]).toEqual([200, { ok: true, path: 'notes/to do.txt' }]);
    const read = await get(fixture, '/files/notes/to%20do.txt');
    expect([read.status, await read.text()]).toEqual([200, 'milk']);
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'cache-control': 'no-cache',
      'content-length': '4',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'inline; filename="to do.txt"',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"[^"]+"$/),
    });
    expect((await get(fixture, '/files/notes/to%20do.txt?download')).headers.get('content-disposition')).toMatch(
      /^attachment/,
    );
  });

  it('take a form with the field "file"', async () => {
    await using fixture = await openTestAgent();
    expect((await put(fixture, 'a.txt', form(['file', 'ignored.txt', 'in a form']))).status).toBe(200);
    expect(await (await get(fixture, '/files/a.txt')).text()).toBe('in a form');
    const other = await put(fixture, 'a.txt', form(['other', 'x', 'y']));
    expect([other.status, await other.json()]).toEqual([
      422,
      { detail: [{ loc: ['body', 'file'], msg: 'Field required', type: 'missing' }] },
    ]);
    expect((await put(fixture, 'a.txt', form(['file', 'x', '1'], ['file', 'y', '2']))).status).toBe(400);
    expect(await (await get(fixture, '/files/a.txt')).text()).toBe('in a form');
  });

  it.each(['x.html', 'x.svg', 'x.xml', 'x.xhtml'])(
    'do not show %s unless it is previewed, and then in a sandbox',
    async (name) => {
      await using fixture = await openTestAgent();
      await put(fixture, name, '<script>alert(1)</script>');
      const shown = await get(fixture, `/files/${name}`);
      expect(shown.headers.get('content-disposition')).toMatch(/^attachment/);
      const preview = await get(fixture, `/files/${name}?preview`);
      expect(preview.headers.get('content-disposition')).toMatch(/^inline/);
      expect(preview.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    },
  );

  it('answer ranges, conditions and HEAD', async () => {
    await using fixture = await openTestAgent();
    await put(fixture, 'a.bin', '0123456789');
    const etag = (await get(fixture, '/files/a.bin')).headers.get('etag') as string;
    const ranges: [string, number, string, string | null][] = [
      ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
      ['bytes=-1', 206, '9', 'bytes 9-9/10'],
      ['bytes=8-', 206, '89', 'bytes 8-9/10'],
      ['bytes=0-1,3-4', 200, '0123456789', null],
      ['lines=1', 200, '0123456789', null],
    ];
    for (const [range, status, text, contentRange] of ranges) {
      const answer = await get(fixture, '/files/a.bin', { Range: range });
      expect([answer.status, await answer.text(), answer.headers.get('content-range')], range).toEqual([
        status,
        text,
        contentRange,
      ]);
    }
    const beyond = await get(fixture, '/files/a.bin', { Range: 'bytes=99-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    expect((await beyond.json()).detail).toMatch(/10 bytes/);
    expect((await get(fixture, '/files/a.bin', { 'If-None-Match': etag })).status).toBe(304);
    expect((await get(fixture, '/files/a.bin', { 'If-Match': '"x"' })).status).toBe(412);
    expect((await get(fixture, '/files/a.bin', { Range: 'bytes=0-0', 'If-Range': '"x"' })).status).toBe(200);
    const head = await fixture.call('alice', 'HEAD', '/files/a.bin');
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag'), await head.text()]).toEqual([
      200,
      '10',
      etag,
      '',
    ]);
    await put(fixture, 'a.bin', '012345678_');
    expect((await get(fixture, '/files/a.bin', { 'If-None-Match': etag })).status).toBe(200);
  });

  // Holds the agent to the contract: verifies('files.too-large')
  it('say 413 for one byte too many, however it comes, and keep what was there', async () => {
    await using fixture = await openTestAgent({ maxUploadMb: 1 });
    const limit = 2 ** 20;
    expect((await put(fixture, 'a', new Uint8Array(limit))).status).toBe(200);
    await put(fixture, 'a', 'kept');
    const chunked = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent <= limit; sent += 65_536) controller.enqueue(new Uint8Array(65_536));
        controller.close();
      },
    });
    const bodies: readonly BodyInit[] = [
      new Uint8Array(limit + 1),
      chunked,
      form(['file', 'a', 'x'.repeat(limit + 1)]),
    ];
    for (const body of bodies) {
      const refused = await put(fixture, 'a', body);
      expect(refused.status).toBe(413);
      expect((await refused.json()).detail).toEqual(expect.any(String));
    }
    expect(await (await get(fixture, '/files/a')).text()).toBe('kept');
  });

  it('are whole: a part of one is refused', async () => {
    // Holds the agent to the contract: verifies('files.content-range'). Fails when the part is stored as the file.
    await using fixture = await openTestAgent();
    await put(fixture, 'a', 'kept');
    const headers = { 'Content-Range': 'bytes 0-1/4' };
    const answer = await fixture.call('alice', 'PUT', '/files/a', 'xx', headers);
    expect([answer.status, (await answer.json()).detail]).toEqual([400, expect.stringMatching(/Content-Range/)]);
    expect(await (await get(fixture, '/files/a')).text()).toBe('kept');
    // A name of two lines is refused in every position.
    expect((await put(fixture, 'a%0Ab', 'x')).status).toBe(422);
    expect((await fixture.call('alice', 'POST', '/files/a%0Ab')).status).toBe(422);
    expect((await fixture.call('alice', 'PATCH', '/files/a', { to: 'a\nb' })).status).toBe(422);
  });

  // Holds the agent to the contract: verifies('files.render')
  it('have no office files rendered, and say so', async () => {
    await using fixture = await openTestAgent({ render: false });
    await put(fixture, 'a.docx', 'x');
    for (const as of ['pdf', 'slides']) {
      const answer = await get(fixture, `/files/a.docx?as=${as}`);
      expect([answer.status, (await answer.json()).detail]).toEqual([415, expect.stringMatching(/render service/)]);
    }
    expect((await get(fixture, '/files/none.docx?as=pdf')).status).toBe(404);
    expect((await get(fixture, '/files/a.docx?as=gif')).status).toBe(422);
    // A file that is no office file is shown as it is. Fails when it is refused.
    await put(fixture, 'a.txt', 'plain');
    const plain = await get(fixture, '/files/a.txt?as=pdf');
    expect([plain.status, await plain.text()]).toEqual([200, 'plain']);
    expect((await get(fixture, '/files/a.txt?as=slides')).status).toBe(415);
  });

  it('answer a foreign path as one that nobody has', async () => {
    await using fixture = await openTestAgent();
    await put(fixture, 'a.txt', 'of Alice');
    const answers = await Promise.all(
      ['/files/a.txt', '/files/none.txt'].map(async (target) => {
        const answer = await fixture.call('bob.acme', 'GET', target);
        return [answer.status, (await answer.text()).replace('none', 'a')];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(404);
    // The same person in an organization is another owner.
    expect((await fixture.call('alice.acme', 'GET', '/files/a.txt')).status).toBe(404);
  });
});

describe('folders', () => {
  // Holds the agent to the contract: verifies('files.list'), verifies('files.folder'), verifies('files.move'), verifies('files.delete')
  it('are listed, made, moved and deleted', async () => {
    await using fixture = await openTestAgent();
    await put(fixture, 'b.txt', 'bb');
    await put(fixture, 'a/x.md', '# x');
    const made = await fixture.call('alice', 'POST', '/files/c/d');
    expect([made.status, await made.json()]).toEqual([200, { ok: true, path: 'c/d' }]);
    expect((await fixture.call('alice', 'POST', '/files/c/d')).status).toBe(200);
    expect((await fixture.call('alice', 'POST', '/files/b.txt')).status).toBe(409);
    const list = (await (await get(fixture, '/files')).json()) as { path: string }[];
    expect(list.map((entry) => entry.path)).toEqual(['a', 'c', 'b.txt']);
    expect(list[2]).toEqual({
      name: 'b.txt',
      path: 'b.txt',
      type: 'file',
      size: 2,
      kind: 'text',
      modified: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(await (await get(fixture, '/files?path=none')).json()).toEqual([]);
    // Fails when an order that is not known is refused, or is not that of names.
    const inOrder = async (query: string) => await (await get(fixture, `/files${query}`)).json();
    expect(await inOrder('?sort=colour')).toEqual(await inOrder(''));
    expect((await get(fixture, '/files?sort=type')).status).toBe(200);
    expect(await (await get(fixture, '/files?recursive=1&sort=size&desc')).json()).toHaveLength(5);

    const move = (from: string, body: unknown) => fixture.call('alice', 'PATCH', `/files/${from}`, body);
    expect(await (await move('a', { to: 'c/a' })).json()).toEqual({ ok: true });
    expect(await (await get(fixture, '/files/c/a/x.md')).text()).toBe('# x');
    expect((await move('none', { to: 'z' })).status).toBe(404);
    expect((await move('b.txt', { to: 'c/a/x.md' })).status).toBe(409);
    expect((await move('c', { to: 'c/a/c' })).status).toBe(409);
    for (const body of [{}, { to: '' }, { to: 7 }, { to: null }]) expect((await move('b.txt', body)).status).toBe(422);
    expect((await move('b.txt', { to: '../x' })).status).toBe(403);

    const deleted = await fixture.call('alice', 'DELETE', '/files/c');
    expect([deleted.status, await deleted.json()]).toEqual([
      200,
      { ok: true, trash_id: expect.any(String), kind: 'dir' },
    ]);
    expect((await fixture.call('alice', 'DELETE', '/files/c')).status).toBe(404);
  });

  // Holds the agent to the contract: verifies('files.zip'), verifies('agent.hidden')
  it('come as a zip', async () => {
    await using fixture = await openTestAgent();
    await put(fixture, 'a/one.txt', 'one');
    await put(fixture, 'a/b/zwei.txt', 'zwei');
    await put(fixture, 'a/.env', 'SECRET');
    await fixture.call('alice', 'POST', '/files/a/empty');
    await symlink('/etc/passwd', path.join(workspaceFolder(fixture.dataFolder, 'alice' as OwnerKey), 'a/link'));
    const zip = await get(fixture, '/files/a');
    expect(zip.headers.get('content-type')).toBe('application/zip');
    expect(zip.headers.get('content-disposition')).toBe('attachment; filename="a.zip"');
    // What was packed is unpacked elsewhere.
    const back = await fixture.call(
      'alice',
      'POST',
      '/files-batch/copy',
      new Blob([await zip.arrayBuffer()], { type: 'application/zip' }),
    );
    expect([back.status, await back.json()]).toEqual([
      200,
      { ok: true, files: 2, paths: ['copy/one.txt', 'copy/b/zwei.txt'] },
    ]);
    expect(await (await get(fixture, '/files/copy/b/zwei.txt')).text()).toBe('zwei');
    expect((await fixture.call('alice', 'HEAD', '/files/a')).status).toBe(200);
  });
});

describe('POST /files-batch/{path}', () => {
  // Holds the agent to the contract: verifies('files.batch')
  it('stores many files with their folders', async () => {
    await using fixture = await openTestAgent();
    const data = form(['file', 'a.txt', 'a'], ['file', 'sub/b.txt', 'b'], ['anything', 'c.txt', 'c']);
    const answer = await fixture.call('alice', 'POST', '/files-batch/in/here', data);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { ok: true, files: 3, paths: ['in/here/a.txt', 'in/here/sub/b.txt', 'in/here/c.txt'] },
    ]);
    expect(await (await get(fixture, '/files/in/here/sub/b.txt')).text()).toBe('b');
    expect((await fixture.call('alice', 'POST', '/files-batch', form(['file', 'root.txt', 'r']))).status).toBe(200);
    expect((await fixture.call('alice', 'POST', '/files-batch/', form(['file', 'root2.txt', 'r']))).status).toBe(200);
    expect(await (await get(fixture, '/files/root2.txt')).text()).toBe('r');
  });

  it.each([
    ['a name that climbs', ['file', '../x.txt', 'x'], 403],
    ['a name in a reserved tree', ['file', '.db/agent.sqlite', 'x'], 403],
    ['an absolute name', ['file', '/etc/passwd', 'x'], 403],
    ['a name that is a folder', ['file', 'folder', 'x'], 409],
    ['a name twice', ['file', 'good.txt', 'x'], 422],
    ['a name of two lines', ['file', 'a\u2028b.txt', 'x'], 422],
    ['a name that is too long', ['file', 'x'.repeat(256), 'x'], 422],
  ] as const)('stores nothing when one has %s', async (_what, bad, status) => {
    await using fixture = await openTestAgent();
    await fixture.call('alice', 'POST', '/files/folder');
    const answer = await fixture.call('alice', 'POST', '/files-batch', form(['file', 'good.txt', 'x'], bad));
    expect(answer.status).toBe(status);
    const list = (await (await get(fixture, '/files?recursive')).json()) as { path: string }[];
    expect(list.map((entry) => entry.path)).toEqual(['folder']);
  });

  it('stores nothing of what is no form, or an empty one', async () => {
    await using fixture = await openTestAgent();
    expect((await fixture.call('alice', 'POST', '/files-batch', new FormData())).status).toBe(422);
    expect((await fixture.call('alice', 'POST', '/files-batch', 'text')).status).toBe(415);
    const broken = new Blob(['--x\r\nnonsense'], { type: 'multipart/form-data; boundary=x' });
    expect((await fixture.call('alice', 'POST', '/files-batch', broken)).status).toBe(400);
    const unnamed = new Blob(['x'], { type: 'multipart/form-data' });
    expect((await fixture.call('alice', 'POST', '/files-batch', unnamed)).status).toBe(400);
  });
});

describe('the trash', () => {
  // Holds the agent to the contract: verifies('trash.restore'), verifies('trash.delete')
  it('gives back what was deleted, by its routes', async () => {
    await using fixture = await openTestAgent();
    await put(fixture, 'a.txt', 'one');
    const { trash_id: id } = await (await fixture.call('alice', 'DELETE', '/files/a.txt')).json();
    await put(fixture, 'a.txt', 'two');
    const [item] = await (await get(fixture, '/trash')).json();
    expect(item).toEqual({ id, path: 'a.txt', kind: 'file', by: 'user', deleted_at: expect.any(String), reason: '' });
    expect((await fixture.call('bob', 'POST', `/trash/${id}/restore`)).status).toBe(404);
    const restored = await fixture.call('alice', 'POST', `/trash/${id}/restore`);
    expect([restored.status, await restored.json()]).toEqual([200, { ok: true, path: 'a (restored).txt' }]);
    expect((await fixture.call('alice', 'POST', `/trash/${id}/restore`)).status).toBe(404);
    expect((await fixture.call('alice', 'DELETE', `/trash/${id}`)).status).toBe(404);
    await fixture.call('alice', 'DELETE', '/files/a.txt');
    expect((await fixture.call('alice', 'DELETE', '/trash')).status).toBe(200);
    expect(await (await get(fixture, '/trash')).json()).toEqual([]);
  });

  it('has chats that were deleted too', async () => {
    await using fixture = await openTestAgent();
    await fixture.call('alice', 'PUT', '/chats/c1', { title: 'Plans' });
    const { trash_id: id } = await (await fixture.call('alice', 'DELETE', '/chats/c1')).json();
    expect(await (await get(fixture, '/trash')).json()).toMatchObject([{ id, path: 'Plans', kind: 'chat' }]);
    expect((await fixture.call('alice', 'POST', `/trash/${encodeURIComponent(id)}/restore`)).status).toBe(200);
    expect((await get(fixture, '/chats/c1')).status).toBe(200);
  });
});

// Holds the agent to the contract: verifies('agent.state-routes')
it('files and trash are not there without auth', async () => {
  await using fixture = await openTestAgent({ hasAuth: false });
  for (const target of ['/files', '/files/a', '/trash']) expect((await get(fixture, target)).status, target).toBe(404);
});
