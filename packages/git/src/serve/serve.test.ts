import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPacketReader, encodePacket, FLUSH } from '../protocol/packets.ts';
import { packBranch } from '../sandbox/pack-branch.ts';
import { createGitFixture, type GitFixture, OWNER } from '../testing/git-fixture.ts';
import { git } from '../testing/serve-repositories.ts';
import { createPushReporter } from './push-report.ts';
import { readPush } from './read-push.ts';
import { readFetch, serveFetch } from './serve-fetch.ts';

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];

async function* once(...lines: readonly string[]) {
  yield Buffer.concat(lines.map((line) => (line === FLUSH ? Buffer.from(line) : encodePacket(line))));
}

describe('the commands of a push', () => {
  const read = (...lines: string[]) => readPush(createPacketReader(once(...lines)));

  it('are read with the capabilities of the first', async () => {
    const push = await read(
      `${'0'.repeat(40)} ${A} refs/heads/main\0 report-status side-band-64k\n`,
      `${A} ${B} x`,
      FLUSH,
    );
    expect(push).toEqual({
      commands: [
        { before: undefined, after: A, ref: 'refs/heads/main' },
        { before: A, after: B, ref: 'x' },
      ],
      hasSideband: true,
      isShallow: false,
    });
    expect(await read(`shallow ${A}`, `${A} ${B} x\0report-status`, FLUSH)).toMatchObject({
      isShallow: true,
      hasSideband: false,
    });
  });

  it.each([
    ['that end early', [`${A} ${B} x`]],
    ['of another form', ['push-cert\0', FLUSH]],
    ['with a short id', [`${A.slice(1)} ${B} x`, FLUSH]],
    ['that are too many', [...Array(1_001).fill(`${A} ${B} x`), FLUSH]],
  ])('%s are refused', async (_title, lines) => {
    await expect(read(...lines)).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('the report of a push', () => {
  it('has the results in the first band, and ends', () => {
    const text = createPushReporter(true)
      .report([
        { ref: 'x', problem: 'two\nlines' },
        { ref: 'y', problem: undefined },
      ])
      .toString();
    expect(text).toBe(
      '0039\u0001000eunpack ok\n0013ng x two lines\n0009ok y\n00000000'.replace('0039', text.slice(0, 4)),
    );
    expect(createPushReporter(false).report([]).toString()).toBe('000eunpack ok\n0000');
  });

  it('shows output of a build without what acts on terminals', () => {
    const reporter = createPushReporter(true);
    expect(reporter.progress('\u001b[31mred\u001b[0m \u001b]0;owned\u0007x\r\u009b2J').toString().slice(4)).toBe(
      '\u0002red ]0;ownedx2J\n',
    );
    expect(reporter.progress('x'.repeat(70_000)).length).toBeLessThan(5_000);
    expect(createPushReporter(false).progress('x')).toHaveLength(0);
  });
});

describe('a fetch', () => {
  const answer = async (lines: readonly string[], commit: string | undefined) => {
    const request = await readFetch(once(...lines));
    const chunks = await Array.fromAsync(serveFetch(request, commit, async () => once('PACK')));
    return Buffer.concat(chunks).toString();
  };

  it('gets the pack once it is done, and no other commit', async () => {
    expect(await answer([`want ${A} side-band-64k`, FLUSH, 'done'], A)).toBe('0008NAK\n000d\u00010008PACK0000');
    expect(await answer([`want ${A}`, FLUSH, `have ${B}`, FLUSH], A)).toBe(`0031ACK ${B}\n`);
    expect(await answer([`want ${B}`, FLUSH, 'done'], A)).toContain('ERR upload-pack: not our ref');
    expect(await answer([`want ${B}`, FLUSH, 'done'], undefined)).toContain('ERR');
    await expect(answer([`want ${A}`, 'deepen 1', FLUSH, 'done'], A)).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('the objects of a push', () => {
  let fixture: GitFixture;
  let source: string;
  beforeAll(async () => {
    fixture = await createGitFixture();
    source = join(fixture.scratch, 'source');
    await mkdir(source);
    await git(source, 'init', '-q', '-b', 'main');
    await writeFile(join(source, 'a.txt'), 'a');
    await git(source, 'add', '.');
    await git(source, 'commit', '-qm', 'One file');
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  const packOf = (objects: readonly string[]) =>
    execFileSync('git', ['pack-objects', '--stdout', '-q'], { cwd: source, input: `${objects.join('\n')}\n` });
  async function* stream(bytes: Buffer) {
    yield bytes;
  }

  it('are refused when one is missing, and stored when all are there', async () => {
    const commit = await git(source, 'rev-parse', 'HEAD');
    const tree = await git(source, 'rev-parse', 'HEAD^{tree}');
    const blob = await git(source, 'rev-parse', 'HEAD:a.txt');
    {
      await using repository = await fixture.git.openRepository(OWNER);
      await repository.addPack(stream(packOf([commit])));
      await expect(packBranch(repository, commit, [])).rejects.toMatchObject({ code: 'bad_request' });
      await repository.addPack(stream(packOf([tree])));
      await expect(packBranch(repository, commit, [])).rejects.toMatchObject({ code: 'bad_request' });
      await repository.addPack(stream(packOf([blob])));
      expect((await packBranch(repository, commit, [commit])).sizeBytes).toBeGreaterThan(50);
    }
    await using repository = await fixture.git.openRepository(OWNER);
    await expect(repository.setBranch('../config', commit)).rejects.toThrow(RangeError);
    const damaged = packOf([commit, tree]);
    damaged.writeUInt8(damaged.readUInt8(20) ^ 0xff, 20);
    await expect(repository.addPack(stream(damaged))).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('with a tree that leads into .git are refused', async () => {
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
      cwd: source,
      input: '#!/bin/sh\n',
      encoding: 'utf8',
    });
    const entry = Buffer.concat([Buffer.from('100755 .git\0'), Buffer.from(blob.trim(), 'hex')]);
    const tree = execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], {
      cwd: source,
      input: entry,
    });
    await using repository = await fixture.git.openRepository(OWNER);
    const pack = packOf([blob.trim(), tree.toString().trim()]);
    await expect(repository.addPack(stream(pack))).rejects.toThrow(/hasDotgit|\.git/);
  });

  it('that unpack to billions of files are ended at a limit', async () => {
    await using limited = await createGitFixture({ limits: { commandMs: 3_000 } });
    const make = (command: string, input: string) =>
      execFileSync('git', command.split(' '), { cwd: source, input, encoding: 'utf8' }).trim();
    let id = make('hash-object -w --stdin', 'a');
    const objects = [id];
    for (let depth = 0; depth < 10; depth++) {
      const entry = depth === 0 ? '100644 blob' : '040000 tree';
      id = make('mktree', Array.from({ length: 10 }, (_, at) => `${entry} ${id}\tf${at}\n`).join(''));
      objects.push(id);
    }
    const commit = await git(source, 'commit-tree', '-m', 'Bomb', id);
    await using repository = await limited.git.openRepository(OWNER);
    await repository.addPack(stream(packOf([...objects, commit])));
    const archived = limited.git.archiveCommit({ repository, commit });
    await expect(archived).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});
