import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import type { Berth } from '../harness/berth.ts';
import { GIT_ENVIRONMENT, linked, remoteCommit, remoteOf, runGit, scratch } from '../harness/git.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter, nodeProject } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { RUNTIME } from '../harness/runtime.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const FAILING = nodeProject('', {
  'package.json': '{"scripts":{"build":"echo broken tool && exit 3","start":"node x"}}',
});

/** A project whose build takes 3 s, also where the same build was done before. */
const slow = (text: string) =>
  greeter(text, {
    'package.json': `{"name":"${uniqueName('slow')}","type":"module","scripts":{"build":"sleep 3","start":"node server.js"}}`,
  });

const listDeploys = async (berth: Berth, name: string) =>
  ((await (await berth.api(`/v1/deploys?name=${name}`)).json()) as { deploys: Record<string, unknown>[] }).deploys;

describe.each([
  ['one process', {}],
  ['a control process and a worker', { BERTH_GATEWAY_WORKERS: '1' }],
  // Where services are containers, Git runs in a sandbox only.
  ...(RUNTIME === 'process' ? [['no sandbox but users', { BERTH_ISOLATION: 'none' }] as const] : []),
] as const)('git push: %s', (_name, env) => {
  const berth = useBerth({ env });

  it('deploys, shows the progress and the address, and deploys the next commit', async () => {
    verifies('git.deploys', 'git.commit');
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    const settings = { 'berth.json': '{"memory":"512Mi"}' };
    const first = await clone.commit(greeter('one', settings), 'First version\n\nWith a body.');
    const pushed = await clone.git('push', 'berth', 'main');
    expect(pushed).toMatchObject({ code: 0, output: expect.stringMatching(/remote: Deployed to http:\S+/) });
    expect(pushed.output).toMatch(/remote: Commit [0-9a-f]{10} on main: First version/);
    expect((await request(berth, name)).text).toBe('one');
    expect(await (await berth.api(`/v1/deployment/${name}`)).json()).toMatchObject({ memory: '512Mi' });
    const commit = { sha: first, subject: 'First version', branch: 'main' };
    expect(await listDeploys(berth, name)).toMatchObject([{ commit, status: 'done' }]);

    const second = await clone.commit(greeter('two'), 'Second');
    expect(await clone.git('push', 'berth', 'main')).toMatchObject({ code: 0 });
    expect((await request(berth, name)).text).toBe('two');
    expect(await (await berth.api(`/v1/git/${name}`)).json()).toEqual({
      ...{ name, branch: 'main', commit: second },
      url: `${berth.url.replace('127.0.0.1', 'localhost')}/git/${name}.git`,
    });
    expect((await clone.git('push', 'berth', 'main')).output).toContain('Everything up-to-date');
    expect(await listDeploys(berth, name)).toHaveLength(2);

    // The history can be cloned again, and fetched.
    const other = scratch();
    expect(await runGit(other, ['clone', '-q', remoteOf(berth, name), 'copy'])).toEqual({ code: 0, output: '' });
    const copy = path.join(other, 'copy');
    expect((await runGit(copy, ['log', '--format=%s'])).output).toBe('Second\nFirst version\n');
    await clone.commit({ 'x.txt': 'x' }, 'Third');
    await clone.git('push', 'berth', 'main');
    expect(await runGit(copy, ['pull', '-q'])).toEqual({ code: 0, output: '' });
    expect((await runGit(copy, ['fsck', '--strict'])).code).toBe(0);

    const audit = await berth.api(`/v1/user/audit?action=deployment.deploy&target=${name}`);
    const { entries } = (await audit.json()) as { entries: { details: Record<string, unknown> }[] };
    expect(entries.at(-1)?.details).toMatchObject({ commit: first, branch: 'main' });
  });
});

describe('git push', () => {
  const berth = useBerth({ env: { BERTH_GIT_LIMIT: '4Mi' } });

  it('says that a build failed, keeps the branch, and takes the same commit again', async () => {
    verifies('git.failed');
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    const good = await clone.commit(greeter('one'));
    await clone.git('push', 'berth', 'main');
    await clone.commit(FAILING, 'Break it');
    const failed = await clone.git('push', 'berth', 'main');
    expect(failed.code).toBe(1);
    expect(failed.output).toContain('remote:   broken tool');
    expect(failed.output).toMatch(/! \[remote rejected\] main -> main \(deploy failed: .*\)/);
    expect(await remoteCommit(clone)).toBe(good);
    expect((await request(berth, name)).text).toBe('one');
    expect((await clone.git('push', 'berth', 'main')).output).toContain('remote rejected');
    expect(await listDeploys(berth, name)).toHaveLength(3);
    // A history that replaces the failed one.
    await clone.git('reset', '-q', '--hard', 'HEAD~1');
    await clone.commit(greeter('three'));
    expect(await clone.git('push', 'berth', 'main')).toMatchObject({ code: 0 });
    expect((await request(berth, name)).text).toBe('three');
  });

  it('refuses a faulty berth.json before it deploys', async () => {
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    await clone.commit(greeter('one', { 'berth.json': '{"memory":"a lot","typo":1}' }));
    expect((await clone.git('push', 'berth', 'main')).output).toMatch(
      /remote rejected.*berth\.json is not valid.*typo/,
    );
    expect(await remoteCommit(clone)).toBeUndefined();
  });

  it('deploys only the chosen branch, and says how to choose another', async () => {
    verifies('git.branch');
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    await clone.commit(greeter('one'));
    await clone.git('tag', 'v1');
    const refused = await clone.git('push', 'berth', 'main:release', 'v1');
    expect(refused.output).toContain(`main deploys; for release, run: berth git setup ${name} --branch release`);
    expect(refused.output).toContain('v1 -> v1 (only the branch main is stored here)');
    expect(await listDeploys(berth, name).catch(() => [])).toEqual(expect.not.arrayContaining([expect.anything()]));
    const put = (branch: string) =>
      berth.api(`/v1/git/${name}`, {
        ...{ method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ branch }) },
      });
    expect(await (await put('release')).json()).toMatchObject({ branch: 'release', commit: null });
    expect((await clone.git('push', 'berth', 'main:release')).code).toBe(0);
    expect((await request(berth, name)).text).toBe('one');
    expect((await clone.git('push', 'berth', ':release')).output).toContain('berth rm');
    for (const branch of ['', '--force', 'a..b', '../x', 'a b']) expect((await put(branch)).status).toBe(422);
  });

  it('refuses a shallow clone, and one whose branch has moved', async () => {
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    await clone.commit(greeter('one'));
    await clone.commit({ 'a.txt': 'a' });
    const folder = scratch();
    await runGit(folder, ['clone', '-q', '--depth=1', `file://${clone.folder}`, 'shallow']);
    const shallow = path.join(folder, 'shallow');
    const refused = await runGit(shallow, ['push', remoteOf(berth, name), 'main']);
    expect(refused.output).toContain('git fetch --unshallow');
    await clone.git('push', 'berth', 'main');
    await clone.git('commit', '-q', '--amend', '-m', 'Rewritten');
    expect((await clone.git('push', 'berth', 'main')).output).toContain('non-fast-forward');
    expect((await clone.git('push', '--force', 'berth', 'main')).code).toBe(0);
  });

  it('goes on when the client disconnects', async () => {
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    await clone.commit(slow('slow'));
    const push = spawn('git', ['push', 'berth', 'main'], { cwd: clone.folder, env: GIT_ENVIRONMENT, detached: true });
    const ended = once(push, 'exit');
    let output = '';
    push.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    // Fails when the progress comes only at the end.
    await waitFor('the build shows', async () => output.includes('remote: Building'));
    expect((await listDeploys(berth, name))[0]?.['status']).toBe('building');
    process.kill(-(push.pid as number), 'SIGKILL');
    await ended;
    await waitFor('the deploy ends', async () => (await listDeploys(berth, name))[0]?.['status'] === 'done');
    expect((await request(berth, name)).text).toBe('slow');
    expect(await remoteCommit(clone)).toBe((await clone.git('rev-parse', 'HEAD')).output.trim());
  });

  it('accepts one of two pushes at once', async () => {
    const name = uniqueName('push');
    const clones = await Promise.all([linked(berth, name), linked(berth, name)]);
    await Promise.all(clones.map((clone, at) => clone.commit(greeter(`version ${at}`))));
    const results = await Promise.all(clones.map((clone) => clone.git('push', 'berth', 'main')));
    expect(results.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(results.find(({ code }) => code === 1)?.output).toMatch(/remote rejected.*(push again|fetch)/i);
    expect(await listDeploys(berth, name)).toHaveLength(1);
  });

  it('leaves neither or both of the branch and the deploy when the server is killed', {
    timeout: 180_000,
  }, async () => {
    verifies('git.atomic');
    // Each moment is in another step: the upload, the checks, the transaction, the build.
    for (const delayMs of [100, 300, 500, 1_000]) {
      const name = uniqueName('push');
      const clone = await linked(berth, name);
      const commit = await clone.commit(slow('one'));
      const pushed = clone.git('push', 'berth', 'main');
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await berth.kill9();
      expect((await pushed).code).not.toBe(0);
      await berth.start();
      const seen = await remoteCommit(clone);
      const deploys = await listDeploys(berth, name).catch(() => undefined);
      if (seen === undefined) {
        expect(deploys ?? []).toEqual([]);
        expect((await clone.git('push', 'berth', 'main')).code).toBe(0);
      } else expect(seen).toBe(commit);
      await waitFor('it is deployed', async () => (await listDeploys(berth, name))[0]?.['status'] === 'done');
      expect((await request(berth, name)).text).toBe('one');
    }
  });

  it('is refused above the limit, and leaves nothing', async () => {
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    await clone.commit({ ...greeter('big'), 'big.bin': randomBytes(5 * 2 ** 20) });
    const refused = await clone.git('push', 'berth', 'main');
    expect(refused.code).not.toBe(0);
    expect(refused.output).toMatch(/413|over 4 MiB/);
    expect(await remoteCommit(clone)).toBeUndefined();
    await expectNoWork(berth);
  });

  it('deletes the history with its deployment', async () => {
    const name = uniqueName('push');
    const clone = await linked(berth, name);
    for (const version of ['one', 'two']) {
      await clone.commit(greeter(version));
      await clone.git('push', 'berth', 'main');
    }
    // Fails when packs of earlier pushes pile up.
    const packs = () =>
      namesIn(berth, 'work/volumes/git').filter((file) => /\.pack\b/.test(file) && file.includes(name));
    expect(packs()).toHaveLength(1);
    await berth.post('/v1/deployment/delete', { name });
    expect(packs()).toEqual([]);
    expect(await remoteCommit(clone)).toBeUndefined();
    expect((await clone.git('push', 'berth', 'main')).code).toBe(0);
  });
});

function namesIn(berth: Berth, folder: string): string[] {
  return readdirSync(path.join(berth.dataFolder, folder), { recursive: true }).map(String);
}

/** Fails while a repository is still in the folder where Git works. */
const expectNoWork = (berth: Berth) =>
  waitFor(
    'the work is removed',
    async () => namesIn(berth, RUNTIME === 'process' ? 'work/git' : 'git/work/git').length === 0,
  );
