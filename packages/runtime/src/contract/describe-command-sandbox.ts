import { access, chmod, lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect } from 'vitest';
import type { CommandLimits, CommandOutcome, CommandSandbox, CommandSpec } from '../command-sandbox.ts';
import type { Owner } from '../runtime.ts';
import { type ContractSkip, createContractTest } from './contract-skips.ts';

/** A sandbox under test. Disposing of it deletes what the tests made. */
export interface CommandSandboxHarness extends AsyncDisposable {
  readonly sandbox: CommandSandbox;
  /** Makes an empty folder, owned by the server, in which builds may run. */
  makeFolder(): Promise<string>;
}

/** Options of {@link describeCommandSandbox}. */
export interface CommandSandboxContractOptions {
  /** Called once for each test; the harness is disposed of after the test. */
  readonly create: () => Promise<CommandSandboxHarness>;
  readonly skip?: readonly ContractSkip[];
}

const OWNER: Owner = { account: 'acme', deployment: 'hello' };
const LIMITS: CommandLimits = {
  timeoutMs: 20_000,
  memoryBytes: 256 * 2 ** 20,
  cpuMillis: 2_000,
  processes: 100,
  outputBytes: 10 * 2 ** 20,
  diskBytes: 100 * 2 ** 20,
};

interface Run {
  readonly outcome: CommandOutcome;
  readonly lines: readonly string[];
  /** Working folder of the command. */
  readonly folder: string;
}

/** Defines the tests that every {@link CommandSandbox} passes. The commands run `node`, which every sandbox must offer. */
export function describeCommandSandbox(name: string, { create, skip = [] }: CommandSandboxContractOptions): void {
  describe(`command sandbox: ${name}`, () => {
    let harness: Promise<CommandSandboxHarness> | undefined;
    const { contractTest, checkSkips } = createContractTest(skip);
    const open = (): Promise<CommandSandboxHarness> => (harness ??= create());
    afterEach(async () => {
      const opened = harness;
      harness = undefined;
      await (await opened)?.[Symbol.asyncDispose]();
    });
    afterAll(checkSkips);

    /** Runs a Node script in a new folder that belongs to the owner. */
    const run = async (script: string, overrides: Partial<CommandSpec> = {}, signal?: AbortSignal): Promise<Run> => {
      const { sandbox, makeFolder } = await open();
      const folder = overrides.workingFolder ?? (await makeFolder());
      if (!overrides.workingFolder) await sandbox.giveToOwner(folder, OWNER);
      const lines: string[] = [];
      const spec: CommandSpec = {
        owner: OWNER,
        argv: ['node', '-e', script],
        workingFolder: folder,
        env: {},
        writableFolders: [folder],
        readableFolders: [],
        limits: LIMITS,
        onLine: (line) => void lines.push(line),
        ...overrides,
      };
      const outcome = await sandbox.run(spec, signal ? { signal } : {});
      return { outcome, lines, folder };
    };
    const ok: CommandOutcome = { kind: 'exited', exitCode: 0 };

    contractTest('runs a command in its folder and tells how it ended', async () => {
      const { outcome, lines, folder } = await run(
        `require('node:fs').writeFileSync('made', 'x'); console.log(process.cwd()); process.exitCode = 3`,
      );
      expect(outcome).toEqual({ kind: 'exited', exitCode: 3 });
      expect(lines).toEqual([folder]);
      expect(await readFile(join(folder, 'made'), 'utf8')).toBe('x');
    });

    contractTest('arguments are never read by a shell', async () => {
      const odd = ['$(id)', '`id`', '; rm -rf /', '$HOME', '*', 'a  b', '"', "'", '\n', '-e'];
      const { lines } = await run('', {
        argv: ['node', '-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...odd],
      });
      expect(JSON.parse(lines[0] ?? '')).toEqual(odd);
    });

    contractTest('the environment is what was given and the usual', async () => {
      process.env['BERTH_CANARY'] = 'secret';
      const script = 'console.log(JSON.stringify(process.env))';
      const { lines } = await run(script, { env: { COLOR: 'blue', HOME: '/elsewhere' } });
      const env = JSON.parse(lines[0] ?? '') as Record<string, string>;
      expect(env).toMatchObject({ COLOR: 'blue', HOME: '/elsewhere' });
      expect(JSON.stringify(env)).not.toContain('secret');
      const usual = ['COLOR', 'HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR', 'USER', 'HOSTNAME', 'NODE_VERSION'];
      expect(Object.keys(env).filter((key) => !usual.includes(key))).toEqual([]);
    });

    contractTest('never runs a command as root', async () => {
      const { lines } = await run('console.log(process.getuid() > 0, process.getgroups().includes(0))');
      expect(lines).toEqual(['true false']);
    });

    contractTest('a program that is not there is build_failed', async () => {
      await expect(run('', { argv: ['no-such-program'] })).rejects.toMatchObject({
        code: 'build_failed',
        message: expect.stringContaining('no-such-program'),
      });
    });

    contractTest('hands over whole lines of both streams, one at a time', async () => {
      let pending = 0;
      const seen: string[] = [];
      const { outcome } = await run(
        `for (let i = 0; i < 300; i++) (i % 2 ? console.log : console.error)(i); process.stdout.write('no end')`,
        {
          onLine: async (line) => {
            pending += 1;
            expect(pending).toBe(1);
            await new Promise((resolve) => setImmediate(resolve));
            seen.push(line);
            pending -= 1;
          },
        },
      );
      expect(outcome).toEqual(ok);
      const numbers = seen.filter((line) => line !== 'no end').map(Number);
      expect(numbers.filter((number) => number % 2 === 1)).toEqual(Array.from({ length: 150 }, (_, i) => 2 * i + 1));
      expect(numbers.filter((number) => number % 2 === 0)).toEqual(Array.from({ length: 150 }, (_, i) => 2 * i));
      expect(seen.at(-1)).toBe('no end');
    });

    contractTest('progress, long lines and bytes that are no text', async () => {
      const { lines } = await run(
        `process.stdout.write('10%\\r100%\\n'); process.stdout.write('x'.repeat(20000) + '\\n'); process.stdout.write(Buffer.from([255, 65, 10]))`,
      );
      expect(lines.map((line) => line.length)).toEqual([4, 16_384, 20_000 - 16_384, 2]);
      expect([lines[0], lines[3]]).toEqual(['100%', '\ufffdA']);
    });

    contractTest('ends at its time limit', async () => {
      const { outcome } = await run(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`, {
        limits: { ...LIMITS, timeoutMs: 500 },
      });
      expect(outcome).toEqual({ kind: 'timeout' });
    });

    contractTest('ends when it prints too much', async () => {
      const { outcome, lines } = await run(`setInterval(() => console.log('x'.repeat(1000)), 0)`, {
        limits: { ...LIMITS, outputBytes: 50_000 },
      });
      expect(outcome).toEqual({ kind: 'output_limit' });
      expect(lines.join('').length).toBeLessThan(200_000);
    });

    contractTest('ends when it fills the disk', async () => {
      const { outcome } = await run(
        `const fs = require('node:fs'); const block = Buffer.alloc(2 ** 20, 1); setInterval(() => fs.appendFileSync('big', block), 5)`,
        { limits: { ...LIMITS, diskBytes: 20 * 2 ** 20 } },
      );
      expect(outcome).toEqual({ kind: 'disk_limit' });
    });

    contractTest('ends when it takes too much memory', async () => {
      const { outcome } = await run(
        `const all = []; setInterval(() => { for (let i = 0; i < 8; i++) all.push(Buffer.alloc(2 ** 20, 1)); }, 5)`,
        { limits: { ...LIMITS, memoryBytes: 128 * 2 ** 20 } },
      );
      expect(outcome).toEqual({ kind: 'out_of_memory' });
    });

    contractTest('ends when it is canceled', async () => {
      const controller = new AbortController();
      const { outcome } = await run(
        `console.log('up'); setInterval(() => {}, 1000)`,
        { onLine: () => controller.abort() },
        controller.signal,
      );
      expect(outcome).toEqual({ kind: 'cancelled' });
    });

    contractTest('tells a signal that ended it', async () => {
      const { outcome } = await run(`process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)`);
      expect(outcome).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
    });

    contractTest('what it left in the background ends with it', async () => {
      const child = `setInterval(() => require('node:fs').appendFileSync('beats', 'x'), 10)`;
      const { outcome, folder } = await run(`
        const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'ignore', detached: true });
        child.unref();
        const fs = require('node:fs');
        const poll = setInterval(() => { if (fs.existsSync('beats')) clearInterval(poll); }, 5);`);
      expect(outcome).toEqual(ok);
      const before = (await lstat(join(folder, 'beats'))).size;
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect((await lstat(join(folder, 'beats'))).size).toBe(before);
    });

    contractTest('a readable folder can be read and not written', async () => {
      const { sandbox, makeFolder } = await open();
      const readable = await makeFolder();
      await writeFile(join(readable, 'file'), 'content');
      await sandbox.seal(readable, OWNER);
      const { lines } = await run(
        `const fs = require('node:fs'); const folder = process.env.READABLE; console.log(fs.readFileSync(folder + '/file', 'utf8'));
         for (const name of ['file', 'new']) try { fs.writeFileSync(folder + '/' + name, 'x'); console.log('written'); } catch (error) { console.log('refused'); }`,
        { env: { READABLE: readable }, readableFolders: [readable] },
      );
      expect(lines).toEqual(['content', 'refused', 'refused']);
    });

    contractTest(
      'a sealed folder can be read by its owner, hidden files and programs too, and not changed',
      async () => {
        const { sandbox, makeFolder } = await open();
        const folder = await makeFolder();
        await mkdir(join(folder, 'bin'));
        await writeFile(join(folder, 'bin/tool'), '#!/bin/sh\necho ran\n');
        await chmod(join(folder, 'bin/tool'), 0o700);
        await writeFile(join(folder, '.secret'), 'own', { mode: 0o600 });
        await symlink('bin/tool', join(folder, 'link'));
        await sandbox.giveToOwner(folder, OWNER);
        const build = await run(`require('node:fs').writeFileSync('made', '', { mode: 0o600 })`, {
          workingFolder: folder,
          writableFolders: [folder],
        });
        expect(build.outcome).toEqual(ok);
        await sandbox.seal(folder, OWNER);
        const { lines } = await run(
          `const fs = require('node:fs'); const folder = process.env.SEALED; const { execFileSync } = require('node:child_process');
         console.log(fs.readFileSync(folder + '/.secret', 'utf8'), fs.readFileSync(folder + '/made', 'utf8') === '', String(execFileSync(folder + '/link')).trim());
         for (const name of ['.secret', 'made', 'new', 'bin/new']) try { fs.writeFileSync(folder + '/' + name, 'x'); console.log('written'); } catch { console.log('refused'); }
         try { fs.chmodSync(folder, 0o777); console.log('changed'); } catch { console.log('refused'); }`,
          { env: { SEALED: folder }, readableFolders: [folder] },
        );
        expect(lines).toEqual(['own true ran', ...Array.from({ length: 5 }, () => 'refused')]);
      },
    );

    contractTest('giving and sealing never follow a symlink', async () => {
      const { sandbox, makeFolder } = await open();
      const outside = await makeFolder();
      await writeFile(join(outside, 'file'), 'mine', { mode: 0o600 });
      const folder = await makeFolder();
      await symlink(outside, join(folder, 'folder'));
      await symlink(join(outside, 'file'), join(folder, 'file'));
      const before = await Promise.all([lstat(outside), lstat(join(outside, 'file'))]);
      await sandbox.giveToOwner(folder, OWNER);
      await sandbox.seal(folder, OWNER);
      const after = await Promise.all([lstat(outside), lstat(join(outside, 'file'))]);
      for (const [index, stats] of after.entries()) {
        expect([stats.uid, stats.gid, stats.mode]).toEqual([
          before[index]?.uid,
          before[index]?.gid,
          before[index]?.mode,
        ]);
      }
    });

    contractTest('finds programs that it can run', async () => {
      const { sandbox } = await open();
      const node = await sandbox.findProgram('node');
      await access(node ?? '');
      expect(await sandbox.findVersion('node')).toBe(process.versions.node);
      expect(await sandbox.findVersion('no-such-program')).toBeUndefined();
      expect(await sandbox.findProgram('no-such-program')).toBeUndefined();
      expect(await sandbox.findProgram('../bin/sh')).toBeUndefined();
      const { lines } = await run('', { argv: [node ?? '', '-p', 'process.version'] });
      expect(lines).toEqual([process.version]);
    });
  });
}
