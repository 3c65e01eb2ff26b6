import { lstat, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { buildArchive, buildTar, paxEntry, storeArchive, type TarEntry, tarEntry } from '../testing/build-tar.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from './archive-limits.ts';
import { type UnpackedArchive, unpackArchive } from './unpack-archive.ts';

const SECRET = 'untouched';

/** Unpacks into `work/` of a folder that also contains `secret.txt`, and returns the contents of both afterwards. */
async function unpack(bytes: Uint8Array, limits: Partial<ArchiveLimits> = {}, signal = new AbortController().signal) {
  await using root = await createTemporaryFolder();
  const folder = join(root.path, 'work');
  await mkdir(folder);
  await writeFile(join(root.path, 'secret.txt'), SECRET);
  const archive = await storeArchive(join(root.path, 'archive.tar.gz'), bytes);
  let unpacked: UnpackedArchive | undefined;
  let error: unknown;
  try {
    unpacked = await unpackArchive(archive, { folder, limits: { ...DEFAULT_ARCHIVE_LIMITS, ...limits }, signal });
  } catch (caught) {
    error = caught;
  }
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const shown = path.slice(folder.length + 1);
    if (entry.isSymbolicLink()) files[shown] = `-> ${await readlink(path)}`;
    else if (entry.isFile()) files[shown] = (await readFile(path, 'utf8')).slice(0, 40);
    else files[shown] = '/';
  }
  const modes = Object.fromEntries(
    await Promise.all(
      Object.keys(files).map(async (path) => [path, (await lstat(join(folder, path))).mode & 0o7777] as const),
    ),
  );
  // No archive may change the files around `work/`.
  expect(await readFile(join(root.path, 'secret.txt'), 'utf8')).toBe(SECRET);
  expect((await readdir(root.path)).sort()).toEqual(['archive.tar.gz', 'secret.txt', 'work']);
  return { unpacked, error, files, modes };
}

const pack = (...parts: (TarEntry | Buffer)[]) => gzipSync(buildTar(parts));

describe('refused archives', () => {
  const hostile: readonly [what: string, parts: (TarEntry | Buffer)[], why: RegExp][] = [
    ['an absolute path', [{ name: '/etc/cron.d/x', content: 'x' }], /absolute path/],
    ['a double slash', [{ name: '//etc/x', content: 'x' }], /absolute path/],
    ['..', [{ name: '../secret.txt', content: 'x' }], /"\.\."/],
    ['.. in the middle', [{ name: 'a/../../secret.txt', content: 'x' }], /"\.\."/],
    ['.. that stays inside', [{ name: 'a/../b', content: 'x' }], /"\.\."/],
    ['a folder ..', [{ name: '..', type: '5' }], /"\.\."/],
    ['.. by pax', [paxEntry({ path: '../secret.txt' }), { name: 'fine', content: 'x' }], /"\.\."/],
    [
      '.. by a GNU long name',
      [tarEntry({ name: '././@LongLink', type: 'L', content: '../secret.txt\0' }), { name: 'fine', content: 'x' }],
      /"\.\."/,
    ],
    ['a symlink out', [{ name: 'a', type: '2', linkName: '../secret.txt' }], /link to outside/],
    ['a symlink to an absolute path', [{ name: 'a', type: '2', linkName: '/etc/passwd' }], /absolute path/],
    ['a symlink out by pax', [paxEntry({ linkpath: '../../x' }), { name: 'd/a', type: '2' }], /link to outside/],
    [
      'a symlink out through another',
      [
        { name: 'a/b/up', type: '2', linkName: '../..' },
        { name: 'z', type: '2', linkName: 'a/b/up/../secret.txt' },
      ],
      /link to outside/,
    ],
    [
      'symlinks in a circle',
      [
        { name: 'a', type: '2', linkName: 'b/x' },
        { name: 'b', type: '2', linkName: 'a' },
      ],
      /circular/,
    ],
    ['a symlink without a target', [{ name: 'a', type: '2', linkName: '' }], /link without a target/],
    [
      'writing through a symlink',
      [
        { name: 'd/', type: '5' },
        { name: 'a', type: '2', linkName: 'd' },
        { name: 'a/x', content: 'x' },
      ],
      /below "a", which is a link/,
    ],
    [
      'replacing a symlink by a folder',
      [
        { name: 'a', type: '2', linkName: '.' },
        { name: 'a/', type: '5' },
      ],
      /occurs twice/,
    ],
    [
      'a file below a file',
      [
        { name: 'a', content: 'x' },
        { name: 'a/b', content: 'x' },
      ],
      /below "a", which is a file/,
    ],
    ['a hard link out', [{ name: 'a', type: '1', linkName: '../secret.txt' }], /"\.\."/],
    ['a hard link to an absolute path', [{ name: 'a', type: '1', linkName: '/etc/passwd' }], /absolute path/],
    [
      'a hard link to a symlink',
      [
        { name: 'a', type: '2', linkName: 'b' },
        { name: 'c', type: '1', linkName: 'a' },
      ],
      /not an earlier file/,
    ],
    ['a hard link without a target', [{ name: 'a', type: '1', linkName: 'b' }], /not an earlier file/],
    ['a character device', [{ name: 'null', type: '3' }], /device/],
    ['a block device', [{ name: 'sda', type: '4' }], /device/],
    ['a FIFO', [{ name: 'pipe', type: '6' }], /FIFO/],
    ['a GNU sparse file', [{ name: 'sparse', type: 'S' }], /sparse/],
    [
      'a pax sparse file',
      [paxEntry({ 'GNU.sparse.major': '1', 'GNU.sparse.name': 'x' }), { name: 'sparse', content: 'x' }],
      /sparse/,
    ],
    [
      'a name twice',
      [
        { name: 'a', content: '1' },
        { name: './a', content: '2' },
      ],
      /occurs twice/,
    ],
    [
      'a folder that is also a file',
      [
        { name: 'a/b', content: '1' },
        { name: 'a', content: '2' },
      ],
      /occurs twice/,
    ],
    ['an empty name', [{ name: '', content: 'x' }], /no name/],
    ['a root that is a file', [{ name: '.', content: 'x' }], /not a folder/],
    ['a segment over 255 bytes', [paxEntry({ path: 'é'.repeat(128) }), { name: 'x' }], /over 255 bytes/],
    ['a path over 1,024 bytes', [paxEntry({ path: 'abcdefgh/'.repeat(114) }), { name: 'x' }], /over 1024 bytes/],
    ['a link target over 4,096 bytes', [paxEntry({ linkpath: 'a/'.repeat(2_100) }), { name: 'x', type: '2' }], /4096/],
    ['a name that is not UTF-8', [{ name: Buffer.from([0x61, 0xff, 0x62]), content: 'x' }], /not UTF-8/],
    ['overlong UTF-8 dots', [{ name: Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x78]) }], /not UTF-8/],
    ['a pax name that is not UTF-8', [paxEntry({ path: Buffer.from([0x61, 0xff]) }), { name: 'x' }], /not UTF-8/],
    ['NUL in a pax name', [paxEntry({ path: 'a\0b' }), { name: 'x' }], /NUL/],
    ['an archive without entries', [], /contains no files/],
    ['nothing but the root', [{ name: './', type: '5' }], /contains no files/],
  ];

  test.each(hostile)('%s', async (_what, parts, why) => {
    const { error } = await unpack(pack({ name: 'first', content: 'x' }, ...parts));
    const only = parts.length === 0 || why.source === 'contains no files' ? await unpack(pack(...parts)) : { error };
    expect(only.error).toMatchObject({ code: 'archive_invalid', message: expect.stringMatching(why) });
  });

  test('names the entry, escaped and short', async () => {
    const { error } = await unpack(pack(paxEntry({ path: `../${'\u001b[31m'.repeat(100)}` }), { name: 'x' }));
    const { message } = error as Error;
    expect(message).toContain('\\u001b');
    expect(message).not.toContain('\u001b');
    expect(message.length).toBeLessThan(2_000);
  });

  test('creates no link before everything is checked', async () => {
    const { files } = await unpack(
      pack({ name: 'good', type: '2', linkName: 'x' }, { name: 'bad', type: '2', linkName: '..' }),
    );
    expect(files).toEqual({});
  });
});

describe('bounds', () => {
  test('more entries than allowed, implied folders included', async () => {
    const { error, files } = await unpack(pack({ name: 'a/b/c/d', content: 'x' }), { entries: 3 });
    expect(error).toMatchObject({ code: 'archive_invalid', message: expect.stringMatching(/more than 3 entries/) });
    expect(files).not.toHaveProperty('a/b/c/d');
    expect((await unpack(pack({ name: 'a/b/c/d', content: 'x' }), { entries: 4 })).error).toBeUndefined();
  });

  test('more bytes than allowed', async () => {
    const { error } = await unpack(pack({ name: 'a', content: Buffer.alloc(100_000, 7) }), { unpackedBytes: 50_000 });
    expect(error).toMatchObject({ code: 'archive_invalid', message: expect.stringMatching(/more than 50000 bytes/) });
  });

  test('a bomb: 256 MiB out of 256 KiB', async () => {
    const { error, files } = await unpack(pack({ name: 'zeros', content: Buffer.alloc(256 * 2 ** 20) }));
    expect(error).toMatchObject({ code: 'archive_invalid', message: expect.stringMatching(/200 times its own size/) });
    expect(files).toEqual({});
  });

  test('a false size in the header', async () => {
    const { error } = await unpack(pack({ name: 'a', content: 'x', claimedSize: 1_000_000 }));
    expect(error).toMatchObject({ code: 'archive_invalid', message: expect.stringMatching(/middle of an entry/) });
    const huge = await unpack(pack({ name: 'a', content: 'x', claimedSize: 0o77777777777 }));
    expect(huge.error).toMatchObject({
      code: 'archive_invalid',
      message: expect.stringMatching(/more than \d+ bytes/),
    });
    expect(huge.files).toEqual({});
  });

  test('chains of links are bounded', async () => {
    const links = Array.from({ length: 2_000 }, (_, index): (TarEntry | Buffer)[] => [
      paxEntry({ linkpath: 'x/../'.repeat(800) }),
      { name: `l${index}`, type: '2' },
    ]).flat();
    const { error } = await unpack(pack(...links));
    expect(error).toMatchObject({ code: 'archive_invalid', message: expect.stringMatching(/too many links/) });
  });
});

describe('damage', () => {
  const good = buildArchive({ 'a.txt': 'a'.repeat(3_000), 'b/c.txt': String(Math.PI).repeat(500) });

  test('cut off at any byte', async () => {
    for (let length = 0; length < good.byteLength; length += 7) {
      const { error } = await unpack(good.subarray(0, length));
      expect(error, `cut at ${length}`).toMatchObject({ code: 'archive_invalid' });
    }
  });

  test('any changed byte throws archive_invalid or nothing', async () => {
    for (let index = 10; index < good.byteLength; index += 11) {
      const bytes = Buffer.from(good);
      bytes[index] = (bytes[index] ?? 0) ^ 0x5a;
      const { error } = await unpack(bytes);
      expect(error, `changed at ${index}`).toMatchObject({ code: 'archive_invalid' });
    }
  });

  test.each<[string, Uint8Array, RegExp]>([
    ['nothing', Buffer.alloc(0), /empty \(0 bytes\)/],
    ['a zip', Buffer.from('PK\u0003\u0004 and so on'), /is a zip file/],
    ['a plain tar', buildTar([{ name: 'a', content: 'x' }]), /a tar that is not compressed/],
    ['text', Buffer.from('hello there'), /is not gzip/],
    ['gzip of text', gzipSync(Buffer.from('hello'.repeat(500))), /contains no tar/],
    ['gzip of a little text', gzipSync('hello'), /middle of an entry|contains no tar/],
    [
      'a second tar of rubbish behind the end',
      gzipSync(Buffer.concat([buildTar([{ name: 'a', content: 'x' }]), Buffer.alloc(512, 1)])),
      /data after its end/,
    ],
  ])('%s', async (_what, bytes, why) => {
    const { error } = await unpack(bytes);
    expect(error).toMatchObject({ code: 'archive_invalid', message: expect.stringMatching(why) });
  });

  test('a canceled build', async () => {
    const { error } = await unpack(good, {}, AbortSignal.abort());
    expect(error).toMatchObject({ code: 'cancelled' });
  });
});

describe('accepted archives', () => {
  test('files, folders, links inside, long names', async () => {
    const long = `${'d'.repeat(90)}/${'e'.repeat(90)}/f`;
    const { error, files, unpacked } = await unpack(
      pack(
        { name: './', type: '5' },
        { name: './a.txt', content: 'a' },
        { name: 'b/', type: '5' },
        { name: 'b/', type: '5' },
        { name: 'b/up', type: '2', linkName: '../a.txt' },
        { name: 'twin', type: '1', linkName: './a.txt' },
        { name: 'dangling', type: '2', linkName: 'later/made' },
        paxEntry({ path: long }),
        { name: 'short', content: 'long' },
        { name: 'ünï', content: 'u' },
      ),
    );
    expect(error).toBeUndefined();
    expect(files).toEqual({
      'a.txt': 'a',
      b: '/',
      'b/up': '-> ../a.txt',
      twin: 'a',
      dangling: '-> later/made',
      [long.split('/')[0] ?? '']: '/',
      [long.split('/').slice(0, 2).join('/')]: '/',
      [long]: 'long',
      ünï: 'u',
    });
    expect(unpacked).toMatchObject({ fileCount: 4, sizeBytes: 6 });
  });

  test('only the executable bit of a mode is kept', async () => {
    const { modes } = await unpack(
      pack(
        { name: 'setuid', content: 'x', mode: 0o6777 },
        { name: 'secret', content: 'x', mode: 0o000 },
        { name: 'closed/', type: '5', mode: 0o1000 },
        { name: 'closed/x', content: 'x' },
      ),
    );
    expect(modes).toEqual({ setuid: 0o755, secret: 0o644, closed: 0o755, 'closed/x': 0o644 });
  });

  test('desktop litter and .berth are left out', async () => {
    const { files, unpacked } = await unpack(
      pack(
        { name: './._app', content: 'x' },
        { name: 'app/.DS_Store', content: 'x' },
        { name: '__MACOSX/app/._x', content: 'x' },
        { name: '.berth/static-server.mjs', content: 'x' },
        { name: 'app/x', content: 'x' },
      ),
    );
    expect(Object.keys(files)).toEqual(['app', 'app/x']);
    expect(unpacked?.tree.topLevel()).toEqual([{ name: 'app', isFolder: true }]);
  });

  test('a v7 tar, and zeros behind the end', async () => {
    const tar = buildTar([{ name: 'a', content: 'x', magic: '' }]);
    const { error, files } = await unpack(gzipSync(Buffer.concat([tar, Buffer.alloc(10_240)])));
    expect(error).toBeUndefined();
    expect(files).toEqual({ a: 'x' });
  });

  test('the same tree has the same hash however it was packed; another tree has another', async () => {
    const one = await unpack(pack({ name: 'a', content: '1' }, { name: 'b/c', content: '2' }));
    const same = await unpack(
      pack({ name: 'b/', type: '5' }, { name: './b/c', content: '2', mode: 0o600 }, { name: 'a', content: '1' }),
    );
    const executable = await unpack(pack({ name: 'a', content: '1', mode: 0o755 }, { name: 'b/c', content: '2' }));
    const other = await unpack(pack({ name: 'a', content: '1' }, { name: 'b/c', content: '3' }));
    expect(same.unpacked?.sha256).toBe(one.unpacked?.sha256);
    expect(executable.unpacked?.sha256).not.toBe(one.unpacked?.sha256);
    expect(other.unpacked?.sha256).not.toBe(one.unpacked?.sha256);
  });
});
