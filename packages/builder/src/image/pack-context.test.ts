import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { extract } from 'tar-stream';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { ignoreFolders, parseDockerignore } from './ignore-rules.ts';
import { type PackContextOptions, packContext } from './pack-context.ts';

const SHA = 'a'.repeat(64);

async function pack(files: Readonly<Record<string, string>>, options: Partial<PackContextOptions> = {}) {
  await using folder = await createTemporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder.path, path);
    await mkdir(join(place, '..'), { recursive: true });
    if (content.startsWith('->')) await symlink(content.slice(2), place);
    else {
      await writeFile(place, content, { mode: path.endsWith('.sh') ? 0o700 : 0o600 });
      await utimes(place, Math.random() * 1e9, Math.random() * 1e9);
    }
  }
  const all = { folder: folder.path, prefix: '', isIgnored: () => false, extra: {}, sha256: SHA, ...options };
  return await buffer(packContext(all));
}

async function entriesOf(tar: Buffer) {
  const entries = extract();
  entries.end(tar);
  const found: Record<string, string> = {};
  for await (const entry of entries) {
    const { name, mode = 0, type, linkname } = entry.header;
    found[name] = `${type} ${mode.toString(8)}${linkname ? ` ${linkname}` : ''}`;
    entry.resume();
  }
  return found;
}

test('the same source is the same bytes, whatever its order and times', async () => {
  const files = { b: '2', 'a/c.sh': '1', 'a/link': '->c.sh' };
  const one = await pack(files, { extra: { Dockerfile: 'FROM x' }, prefix: 'app/' });
  const two = await pack(Object.fromEntries(Object.entries(files).reverse()), {
    extra: { Dockerfile: 'FROM x' },
    prefix: 'app/',
  });
  expect(one.equals(two)).toBe(true);
  expect(await entriesOf(one)).toEqual({
    Dockerfile: 'file 644',
    'app/a': 'directory 755',
    'app/a/c.sh': 'file 755',
    'app/a/link': 'symlink 777 c.sh',
    'app/b': 'file 644',
  });
  expect((await pack(files, { sha256: 'b'.repeat(64) })).equals(await pack(files))).toBe(false);
});

test('what rules leave out stays out, but for what a later one brings back', async () => {
  const isIgnored = parseDockerignore(
    '# comment\nnode_modules\n**/*.log\n!keep/this.log\nDockerfile\n.dockerignore',
    'Dockerfile',
  );
  const tar = await pack(
    { Dockerfile: '', '.dockerignore': '', 'node_modules/x': '', 'a/b.log': '', 'keep/this.log': '', c: '' },
    { isIgnored },
  );
  expect(Object.keys(await entriesOf(tar))).toEqual(['.dockerignore', 'Dockerfile', 'a', 'c', 'keep', 'keep/this.log']);
});

test('whole folders', async () => {
  const tar = await pack({ 'node_modules/x': '', node_modules2: '' }, { isIgnored: ignoreFolders(['node_modules']) });
  expect(Object.keys(await entriesOf(tar))).toEqual(['node_modules2']);
});

test('one that is broken off at any time says so to its reader and to nobody else', async () => {
  await using folder = await createTemporaryFolder();
  for (const name of ['a', 'b', 'c']) {
    await mkdir(join(folder.path, name));
    await writeFile(join(folder.path, name, 'file'), 'x'.repeat(100_000));
    await symlink('file', join(folder.path, name, 'link'));
  }
  const faults: unknown[] = [];
  const onFault = (error: unknown) => faults.push(error);
  process.on('uncaughtException', onFault).on('unhandledRejection', onFault);
  for (let turns = 0; turns < 60; turns++) {
    const extra = { Dockerfile: 'FROM x' };
    const tar = packContext({ folder: folder.path, prefix: '', isIgnored: () => false, extra, sha256: SHA });
    const told = new Promise((resolve) => tar.once('error', resolve));
    tar.resume();
    for (let turn = 0; turn < turns % 20; turn++) await setImmediate();
    tar.destroy(new Error('enough'));
    expect(await told).toMatchObject({ message: 'enough' });
  }
  await setImmediate();
  process.off('uncaughtException', onFault).off('unhandledRejection', onFault);
  expect(faults).toEqual([]);
});
