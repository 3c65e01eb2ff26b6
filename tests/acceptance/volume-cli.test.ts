import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Volume } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../harness/cli.ts';
import { uniqueName } from '../harness/names.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-volume-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** More than a file that is sent in one piece. */
const LARGE_BYTES = 150 * 2 ** 20;

const run = (...words: string[]) => cli(berth, ['volume', ...words]);
const at = (...parts: string[]) => path.join(folder, ...parts);

async function createVolume(): Promise<string> {
  const name = uniqueName('volume');
  expect(await run('create', name)).toMatchObject({ code: 0, stdout: `${name} is there.\n` });
  return name;
}

/** The exit code of a script of bash, which finds the command line as `$BERTH_CLI`. */
async function runScript(script: string, env: Readonly<Record<string, string>>): Promise<number | null> {
  const child = spawn('bash', ['-o', 'pipefail', '-c', script], {
    env: {
      ...process.env,
      ...{ BERTH_CLI: path.join(import.meta.dirname, '../../apps/cli/bin/berth.js'), ...env },
      ...{ BERTH_URL: berth.url, BERTH_API_KEY: berth.key, HOME: folder },
    },
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

/** Every file below a folder → the hash of its bytes. */
function contentOf(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  return Object.fromEntries(
    files
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(root, file), hash(file)] as const)
      .sort(),
  );
}

function makeTree(name: string): string {
  const root = at(name);
  for (const [file, bytes] of [
    ['a.bin', 100_000],
    ['a/b.bin', 1],
    ['a-b/c.bin', 2_000_000],
    ['deep/er/and deeper/é #%?.txt', 12],
    ['empty', 0],
  ] as const) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), randomBytes(bytes));
  }
  for (let index = 0; index < 200; index++) writeFileSync(path.join(root, `many-${index}`), `number ${index}`);
  return root;
}

describe('a folder', () => {
  it('goes in and comes out as it was; what is there is not sent again', async () => {
    const volume = await createVolume();
    const tree = makeTree('tree');
    symlinkSync('/etc/passwd', path.join(tree, 'link'));
    const put = await run('put', volume, tree, 'kept/here', '--json');
    expect(put.stderr).toContain('link is skipped');
    expect(JSON.parse(put.stdout)).toMatchObject({ volume, files: 205, skipped: 0 });
    const list = await run('ls', volume, 'kept/here/a', '--json');
    const paths = list.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { path: string }).path);
    expect(paths).toEqual(['kept/here/a-b/c.bin', 'kept/here/a.bin', 'kept/here/a/b.bin']);

    writeFileSync(path.join(tree, 'many-7'), 'another 7');
    expect(JSON.parse((await run('put', volume, tree, 'kept/here', '--json')).stdout)).toMatchObject({
      files: 1,
      skipped: 204,
    });
    expect((await run('get', volume, 'kept/here', at('out'))).code).toBe(0);
    rmSync(path.join(tree, 'link'));
    expect(contentOf(at('out'))).toEqual(contentOf(tree));
    const again = JSON.parse((await run('get', volume, 'kept/here', at('out'), '--json')).stdout);
    expect(again).toMatchObject({ files: 0, skipped: 205 });
    const volumes = JSON.parse((await run('ls', '--json')).stdout) as Volume[];
    expect(volumes.find((one) => one.name === volume)).toMatchObject({ object_count: 205 });

    expect((await run('rm', volume, 'kept/here/a', '-r', '-y')).stdout).toBe('1 object deleted.\n');
    expect((await run('rm', volume, 'kept/here/empty', '-y')).code).toBe(0);
    expect((await run('rm', volume, 'kept/here/empty', '-y')).code).not.toBe(0);
  });

  it('is exported and imported whole, through a pipe too', async () => {
    const [one, two] = [await createVolume(), uniqueName('copy')];
    const tree = makeTree('exported');
    await run('put', one, tree);
    const script = 'node "$BERTH_CLI" volume export "$ONE" | node "$BERTH_CLI" volume import "$TWO"';
    expect(await runScript(script, { ONE: one, TWO: two })).toBe(0);
    expect((await run('get', two, '', at('imported'))).code).toBe(0);
    expect(contentOf(at('imported'))).toEqual(contentOf(tree));
  });

  // Fails when an import does not check the archive before it writes.
  it('is not imported from an archive that was changed', async () => {
    const volume = await createVolume();
    await run('put', volume, makeTree('sound'));
    const archive = at('sound.tar.zst');
    const script = 'node "$BERTH_CLI" volume export "$ONE" > "$FILE"';
    expect(await runScript(script, { ONE: volume, FILE: archive })).toBe(0);
    const tar = zstdDecompressSync(readFileSync(archive));
    const position = Math.floor(tar.length / 2);
    tar[position] = (tar[position] ?? 0) ^ 1;
    writeFileSync(archive, zstdCompressSync(tar));
    const copy = uniqueName('copy');
    const refused = await run('import', copy, archive);
    expect(refused.stderr).toContain('The archive was');
    expect((await run('ls')).stdout).not.toContain(copy);
  });
});

describe('a large file', () => {
  it('goes on where it broke off, over Ctrl-C, and arrives as it was', async () => {
    const volume = await createVolume();
    const file = at('large.bin');
    writeFileSync(file, randomBytes(LARGE_BYTES));
    const home = { env: { XDG_CONFIG_HOME: at('config') } };
    const giveUp = new AbortController();
    const first = cli(berth, ['volume', 'put', volume, file], { ...home, signal: giveUp.signal });
    await waitFor('the upload was begun', () => journal().length === 1);
    giveUp.abort();
    expect((await first).code).toBe(130);
    expect(journal()).toHaveLength(1);
    expect((await cli(berth, ['volume', 'put', volume, file], home)).code).toBe(0);
    expect(journal()).toEqual([]);
    expect((await run('get', volume, 'large.bin', at('large.out'))).code).toBe(0);
    expect(readFileSync(at('large.out')).equals(readFileSync(file))).toBe(true);
    expect(readdirSync(folder).filter((name) => name.includes('berth-part'))).toEqual([]);
  });
});

/** The uploads that the command line remembers. */
function journal(): string[] {
  const uploads = at('config', 'berth', 'uploads');
  return statSync(uploads, { throwIfNoEntry: false }) ? readdirSync(uploads) : [];
}

describe('a volume', () => {
  it('that is deleted can be restored', async () => {
    const volume = await createVolume();
    writeFileSync(at('note.txt'), 'kept');
    await run('put', volume, at('note.txt'), 'notes/');
    expect((await run('delete', volume, '-y')).code).toBe(0);
    expect((await run('ls', volume)).code).not.toBe(0);
    expect((await run('restore', volume)).code).toBe(0);
    expect((await run('get', volume, 'notes/note.txt', at('back.txt'))).code).toBe(0);
    expect(readFileSync(at('back.txt'), 'utf8')).toBe('kept');
  });

  it('that is not there is not made by a put, and nothing is written by a get', async () => {
    const put = await run('put', 'nowhere', at('note.txt'));
    expect([put.code === 0, put.stderr]).toEqual([false, expect.stringContaining('No volume "nowhere"')]);
    const volume = await createVolume();
    const get = await run('get', volume, 'missing', at('missing'));
    expect([get.code === 0, get.stderr]).toEqual([false, expect.stringContaining('no object at "missing"')]);
    expect(readdirSync(folder)).not.toContain('missing');
    expect((await run('put', volume, at('no-such-file'))).code).not.toBe(0);
    expect((await run('put', volume, at('note.txt'), '--parallel', '0')).code).toBe(2);
  });
});
