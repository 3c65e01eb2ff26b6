import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deploy, deployed } from '../harness/deploy.ts';
import { folderBytes } from '../harness/folder-bytes.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter, nodeProject } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { packProject, type TarEntry, tar, tarGz } from '../harness/tar.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();

const APP: readonly TarEntry[] = Object.entries(greeter('fine')).map(([name, body]) => ({ path: name, body }));

/** A file outside of every archive, which a test's archive tries to change. */
function victim(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-victim-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'victim.txt');
  writeFileSync(file, 'untouched');
  return file;
}

async function expectRefused(archive: Buffer): Promise<string> {
  const { last } = await deploy(berth, uniqueName('hostile'), { archive });
  expect(last).toMatchObject({ status: 'ERROR', code: 'archive_invalid' });
  return last.message;
}

describe('an archive', () => {
  it.each([
    ['no gzip', Buffer.from('this is not an archive')],
    ['gzip of something else', gzipSync('this is not a tar')],
    ['cut off', packProject(greeter('x')).subarray(0, 150)],
    ['a zip', Buffer.from('504b0304140000000000', 'hex')],
    ['empty inside', gzipSync('')],
    ['a tar without gzip', Buffer.alloc(1024)],
  ])('that is %s is refused', async (_title, archive) => {
    verifies('code.archive-invalid');
    await expectRefused(archive);
  });

  it('with a wrong gzip checksum is refused', async () => {
    verifies('code.archive-invalid');
    const archive = Buffer.from(packProject(greeter('x')));
    archive.writeUInt32LE(0xdeadbeef, archive.length - 8);
    await expectRefused(archive);
  });

  it.each([
    ['a path upwards', { path: '../escaped.txt', body: 'x' }],
    ['a path upwards in the middle', { path: 'a/../../escaped.txt', body: 'x' }],
    ['a FIFO', { path: 'pipe', type: 'fifo' }],
    ['a character device', { path: 'device', type: 'character-device' }],
    ['a block device', { path: 'device', type: 'block-device' }],
    ['a symlink upwards', { path: 'link', type: 'symlink', linkTarget: '../../../etc/passwd' }],
    ['an absolute symlink', { path: 'link', type: 'symlink', linkTarget: '/etc/passwd' }],
    ['a hard link upwards', { path: 'link', type: 'hard-link', linkTarget: '../../etc/passwd' }],
    ['an absolute hard link', { path: 'link', type: 'hard-link', linkTarget: '/etc/passwd' }],
    ['a name that stands twice', { path: 'server.js', body: 'process.exit(0)' }],
    ['a name that is not UTF-8', { path: Buffer.from([0x66, 0xff, 0xfe, 0x2e]), body: 'x' }],
  ] satisfies [string, TarEntry][])('with %s is refused', async (_title, entry) => {
    verifies('archive.paths', 'archive.links', 'archive.devices', 'archive.names');
    await expectRefused(tarGz([...APP, entry]));
  });

  it('with an over-long name is refused', async () => {
    verifies('archive.names');
    const longPart = paxPath(`deep/${'n'.repeat(300)}`);
    const longPath = paxPath(`${'folder/'.repeat(900)}file`);
    for (const entry of [longPart, longPath]) await expectRefused(tarGz([...APP, entry, { path: 'x', body: 'x' }]));
  });

  it('with an absolute path changes nothing there', async () => {
    verifies('archive.paths', 'archive.contained');
    const file = victim();
    await expectRefused(tarGz([...APP, { path: file, body: 'changed' }]));
    expect(readFileSync(file, 'utf8')).toBe('untouched');
  });

  it('that writes through its own symlink changes nothing outside', async () => {
    verifies('archive.links', 'archive.contained');
    const file = victim();
    const link: TarEntry = { path: 'out', type: 'symlink', linkTarget: path.dirname(file) };
    await expectRefused(tarGz([...APP, link, { path: 'out/victim.txt', body: 'changed' }]));
    const chain: TarEntry[] = [
      { path: 'a', type: 'folder' },
      { path: 'a/up', type: 'symlink', linkTarget: '..' },
      { path: 'b', type: 'symlink', linkTarget: 'a/up/..' },
      { path: 'b/escaped-by-chain.txt', body: 'x' },
    ];
    await expectRefused(tarGz([...APP, ...chain]));
    expect(readFileSync(file, 'utf8')).toBe('untouched');
    expect(existsSync(path.join(berth.dataFolder, 'escaped-by-chain.txt'))).toBe(false);
  });

  it('may hold links that stay inside', async () => {
    const name = uniqueName('links');
    const entries: TarEntry[] = [
      { path: 'app', type: 'folder' },
      ...APP.map((entry) => ({ ...entry, path: `app/${entry.path}` })),
      { path: 'server.js', type: 'symlink', linkTarget: 'app/server.js' },
      { path: 'package.json', body: nodeProject('')['package.json'] as string },
    ];
    await deployed(berth, name, { archive: tarGz(entries) });
    expect((await request(berth, name)).text).toBe('fine');
  });

  it('of 10 MB that unpacks to gigabytes is refused before it fills the disk', async () => {
    verifies('archive.caps');
    const before = folderBytes(berth.dataFolder);
    await expectRefused(gzipBomb(10 * 2 ** 30));
    expect(folderBytes(berth.dataFolder) - before).toBeLessThan(2 ** 26);
  });

  it('of more than 100,000 entries is refused', async () => {
    verifies('archive.caps');
    const entries = Array.from({ length: 100_001 }, (_value, index) => ({ path: `f${index}` }));
    await expectRefused(tarGz([...APP, ...entries]));
  });

  it('that claims a larger entry than it holds is refused', async () => {
    verifies('code.archive-invalid');
    await expectRefused(tarGz([...APP, { path: 'huge.bin', body: 'x', claimedSize: 2 ** 32 }]));
  });
});

/** A pax header that names the entry after it. Source: POSIX.1-2017, pax, "Extended Header". */
function paxPath(name: string): TarEntry {
  // The length counts its own digits, too.
  const record = ` path=${name}\n`;
  const digits = String(record.length + 3).length;
  return { path: 'pax', type: 'pax', body: `${record.length + digits}${record}` };
}

/**
 * A gzip tar with one file of `sizeBytes` zeros, made without holding them: a gzip file may have many members
 * (RFC 1952, section 2.2), so that one small one is repeated.
 */
function gzipBomb(sizeBytes: number): Buffer {
  const memberBytes = 16 * 2 ** 20;
  const head = tar([{ path: 'zeros.bin', claimedSize: sizeBytes }]).subarray(0, 512);
  const member = gzipSync(Buffer.alloc(memberBytes), { level: 9 });
  const members = Array.from({ length: sizeBytes / memberBytes }, () => member);
  return Buffer.concat([gzipSync(head), ...members, gzipSync(Buffer.alloc(1024))]);
}
