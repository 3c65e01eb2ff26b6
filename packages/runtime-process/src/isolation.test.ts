import { readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, realpath, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FolderArtifact, Owner } from '@berth/runtime';
import { script, server, start } from '@berth/runtime/contract';
import { readProcesses } from '@berth/runtime/drivers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { eventually } from './testing/eventually.ts';
import { createLevels } from './testing/levels.ts';
import { createProcessHarness, type ProcessHarness } from './testing/process-harness.ts';

const VICTIM: Owner = { account: 'acme', deployment: 'victim' };
const SPY: Owner = { account: 'acme', deployment: 'spy' };

const placeOf = ({ confinement }: ProcessHarness, { path }: FolderArtifact) =>
  join(confinement.workRoot, 'artifacts', path);

/** What the program with these routes may be asked: to read a file or a folder. */
const LOOKING = server({
  '/look': `
    const results = {};
    for (const path of JSON.parse(process.env.PATHS)) {
      try { results[path] = fs.statSync(path).isDirectory() ? 'listed ' + fs.readdirSync(path) : 'read ' + fs.readFileSync(path, 'latin1'); }
      catch (error) { results[path] = error.code; }
    }
    return results;`,
  '/processes': `
    return fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => {
      try { return fs.readFileSync('/proc/' + pid + '/environ', 'latin1'); } catch (error) { return error.code; }
    });`,
});

for (const { name, machine } of await createLevels()) {
  const { isSandboxed, hasUsers, cgroups } = machine.confinement;
  afterAll(() => machine[Symbol.asyncDispose]());

  describe(`isolation: ${name}`, () => {
    let harness: ProcessHarness | undefined;
    const open = async (options: Parameters<typeof createProcessHarness>[1] = {}): Promise<ProcessHarness> => {
      harness ??= await createProcessHarness(machine, options);
      return harness;
    };
    afterEach(async () => {
      await harness?.[Symbol.asyncDispose]();
      harness = undefined;
    });

    test.skipIf(!isSandboxed)(
      "a command in a program's sandbox is out of the program's sight, so it can't be traced",
      async () => {
        const opened = await open();
        const { instance, get } = await start(opened, LOOKING, { owner: SPY, env: { PATHS: '[]' } });
        const printed: Uint8Array[] = [];
        const command = await opened.runtime.exec(SPY, instance.instanceId, {
          command: ['node', '-e', 'console.log("runs"); setInterval(() => {}, 1e3)'],
          output: (_stream, chunk) => void printed.push(chunk),
        });
        await eventually('it runs', async () => Buffer.concat(printed).toString() === 'runs\n');
        const seen = (await get('/processes')) as string[];
        expect(seen.length).toBeGreaterThan(0);
        expect(seen.filter((environment) => environment.includes('BERTH_SESSION'))).toEqual([]);
        await command.kill();
      },
    );

    test.skipIf(!isSandboxed && !hasUsers)(
      "files of the server and of others are out of a program's reach",
      async () => {
        const opened = await open();
        const victim = await start(opened, server({ '/': `fs.writeFileSync('own', 'secret'); return process.cwd()` }), {
          owner: VICTIM,
        });
        const victimFolder = String(await victim.get('/'));
        const secret = join(machine.dataFolder, 'secret');
        await writeFile(secret, 'secret', { mode: 0o644 });
        const build = await opened.makeFolder();
        await writeFile(join(build, 'source'), 'secret');
        await opened.sandbox.giveToOwner(build, VICTIM);
        await opened.sandbox.seal(build, VICTIM);
        const paths = [
          ...[machine.dataFolder, secret, join(machine.dataFolder, 'runtime/users.json')],
          ...[victimFolder, join(victimFolder, 'own'), dirname(victimFolder), dirname(dirname(victimFolder))],
          ...[build, join(build, 'source'), dirname(build)],
          ...['/etc/shadow', `/proc/${process.pid}/environ`, `/proc/${process.pid}/root/etc/shadow`],
        ];
        const { get } = await start(opened, LOOKING, { owner: SPY, env: { PATHS: JSON.stringify(paths) } });
        const results = (await get('/look')) as Record<string, string>;
        expect(Object.keys(results)).toHaveLength(paths.length);
        // The work root may be in the data folder: on the way to what it is shown, a sandbox has folders of these names.
        const inner = (path: string) => isSandboxed && (results[path] ?? '').startsWith('listed ');
        for (const path of paths.filter((one) => !inner(one)))
          expect([path, results[path]]).toEqual([path, expect.stringMatching(/^E(NOENT|ACCES|PERM)$/)]);
        for (const path of paths.filter(inner)) expect(results[path]).not.toMatch(/secret|users|own|source|runtime/);
      },
    );

    test.skipIf(!isSandboxed && !hasUsers)('the environment of others is out of reach', async () => {
      process.env['BERTH_CANARY'] = 'canary-of-the-server';
      const opened = await open();
      await start(opened, LOOKING, { owner: VICTIM, env: { SECRET: 'canary-of-the-victim' } });
      const { get } = await start(opened, LOOKING, { owner: SPY, env: { SECRET: 'own' } });
      const environments = (await get('/processes')) as string[];
      expect(environments.join()).toContain('SECRET=own');
      expect(environments.join()).not.toContain('canary');
    });

    test.runIf(isSandboxed)('a sandbox shows no process but its own, no home and no device', async () => {
      const opened = await open();
      const program = server({
        '/': `return { pids: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length, root: fs.readdirSync('/'), dev: fs.readdirSync('/dev'), etc: fs.readdirSync('/etc'), user: require('node:os').userInfo().username, host: require('node:os').hostname(), fds: fs.readdirSync('/proc/self/fd').map((fd) => { try { return fs.readlinkSync('/proc/self/fd/' + fd); } catch { return ''; } }) }`,
      });
      const { get } = await start(opened, program);
      const seen = (await get('/')) as Record<string, string[]> & { pids: number };
      // The first process of the namespace, and the program.
      expect(seen.pids).toBe(2);
      for (const folder of ['boot', 'home', 'media', 'mnt', 'opt', 'run', 'srv', 'sys'])
        expect(seen['root']).not.toContain(folder);
      expect(seen['dev']).not.toContain('sda');
      expect(seen['etc']).not.toContain('shadow');
      expect([seen['user'], seen['host']]).toEqual(['app', 'berth']);
    });

    test('variables that the dynamic linker heeds reach the program only', async () => {
      const opened = await open();
      const { instance, output } = await start(
        opened,
        script(`console.log(process.env.LD_PRELOAD, process.env.TZDIR)`),
        {
          env: { LD_PRELOAD: '/berth-no-such-library.so', TZDIR: '/tmp' },
        },
      );
      await instance.exited;
      expect(output.stdout).toBe('/berth-no-such-library.so /tmp\n');
      // The linker complains in every process that sees it.
      expect(output.stderr.match(/berth-no-such-library/g)).toHaveLength(1);
    });

    test('a start that is given up at any moment leaves no process and no folder', async () => {
      const opened = await open();
      const artifact = await opened.makeArtifact(script('setInterval(() => {}, 1000)'), SPY);
      const runFolder = join(opened.confinement.workRoot, 'run');
      for (let delayMs = 0; delayMs < 30; delayMs += 3) {
        const signal = AbortSignal.timeout(delayMs);
        const spec = { ...{ instanceId: 'i_1' as never, owner: SPY, revision: 'r', artifact, env: {}, port: 8080 } };
        const limits = { memoryBytes: 2 ** 28, cpuMillis: 1_000, mounts: [], output: () => {} };
        const instance = await opened.runtime.start({ ...spec, ...limits }, { signal }).catch(() => undefined);
        await instance?.stop({ graceMs: 0 });
      }
      await opened.runtime.close();
      expect(await readdir(runFolder)).toEqual([]);
      const left = readProcesses().filter(
        ({ pid, state }) => state !== 'Z' && readCommandLine(pid).includes(runFolder),
      );
      expect(left).toEqual([]);
    });

    test('output can be opened again by name', async () => {
      const opened = await open();
      const { instance, output } = await start(opened, {
        files: { 'run.sh': 'echo one > /dev/stdout; echo two > /dev/stderr; echo three > /proc/self/fd/1' },
        command: ['/bin/sh', 'run.sh'],
      });
      expect(await instance.exited).toMatchObject({ exitCode: 0 });
      expect(output).toMatchObject({ stdout: 'one\nthree\n', stderr: 'two\n' });
    });

    test('what fills its disk is ended alone, and told why', async () => {
      const opened = await open({ diskBytes: 20 * 2 ** 20 });
      const good = await start(opened, server({ '/': 'return 1' }));
      const bad = await start(
        opened,
        script(
          `const fs = require('node:fs'); setInterval(() => fs.appendFileSync('big', Buffer.alloc(2 ** 20, 1)), 5)`,
        ),
      );
      expect(await bad.instance.exited).toMatchObject({ signal: 'SIGKILL', isOutOfMemory: false, isRequested: false });
      expect(bad.output.stderr).toContain('wrote more than 20 MiB');
      expect(await good.get('/')).toBe(1);
    });

    test.skipIf(!cgroups.processes || !isSandboxed)('a fork bomb is bounded, and ends with its instance', async () => {
      const opened = await open({ maxProcesses: 60 });
      const good = await start(opened, server({ '/': 'return 1' }));
      const bad = await start(opened, {
        files: { 'bomb.sh': 'bomb() { bomb & bomb & wait; }; bomb' },
        command: ['/bin/sh', 'bomb.sh'],
      });
      await eventually('it meets the limit', () => /fork|resource/i.test(bad.output.stderr));
      expect(await good.get('/')).toBe(1);
      await bad.instance.stop({ graceMs: 0 });
      expect(await good.get('/')).toBe(1);
    });

    test('an artifact that is too large is run from where it is', async () => {
      const opened = await open({ maxCopyBytes: 1_000 });
      const program = server({ '/': `return [process.cwd(), fs.readFileSync('blob', 'latin1').length]` });
      const artifact = await opened.makeArtifact(
        { ...program, files: { ...program.files, blob: 'x'.repeat(5_000) } },
        SPY,
      );
      const { get, output } = await start(opened, artifact, { owner: SPY });
      expect(await get('/')).toEqual([placeOf(opened, artifact), 5_000]);
      expect(output.stderr).toContain('read-only');
    });

    test('shared folders are there, and are the artifact’s own', async () => {
      const opened = await open();
      const program = server({ '/': `return [require('dep'), fs.realpathSync('node_modules/dep/index.js')]` });
      const files = { ...program.files, 'node_modules/dep/index.js': `module.exports = 'dependency'` };
      const artifact = { ...(await opened.makeArtifact({ ...program, files }, SPY)), sharedFolders: ['node_modules'] };
      const { get } = await start(opened, artifact, { owner: SPY });
      expect(await get('/')).toEqual(['dependency', join(placeOf(opened, artifact), 'node_modules/dep/index.js')]);
    });

    test('a volume whose way leads through a symlink is refused', async () => {
      const opened = await open();
      const { source, volume, target } = await opened.makeVolume();
      await mkdir(join(source, 'sub'));
      await rename(join(source, 'sub'), join(source, 'moved'));
      await symlink(machine.dataFolder, join(source, 'sub'));
      const mounts = [{ volume, subPath: 'sub', target, isReadOnly: false }];
      const before = await stat(machine.dataFolder);
      await expect(start(opened, server({}), { mounts })).rejects.toMatchObject({
        code: 'start_failed',
        message: expect.stringContaining('symlink'),
      });
      const after = await stat(machine.dataFolder);
      expect([after.uid, after.gid, after.mode]).toEqual([before.uid, before.gid, before.mode]);
    });

    // Fails when `place` takes mount paths as they are: the volume's programs then run in place of the system's, and
    // did so as root while a sandbox dropped privileges by prlimit and setpriv of its own file system.
    test('a volume over the system or the platform is refused, and no program of it runs', async () => {
      const opened = await open();
      const { source, volume } = await opened.makeVolume();
      await copyFile(await realpath('/bin/sh'), join(source, 'sh'));
      const trace = `while read -r key value rest; do [ "$key" = Uid: ] && echo "$value"; done < /proc/self/status > /usr/bin/proof`;
      for (const name of ['prlimit', 'setpriv', 'env', 'nice', 'node'])
        await writeFile(join(source, name), `#!/usr/bin/sh\n${trace}\n`, { mode: 0o755 });
      const artifact = await opened.makeArtifact({ files: {}, command: ['env'] }, SPY);
      for (const target of [
        ...'/usr/bin /usr /usr/local/bin /usr/files /bin /sbin /lib/x86_64-linux-gnu /lib32 /etc /nix'.split(' '),
        ...'/boot/files /root/files /home/files /run/files /tmp/files /var/tmp/files /dev/shm'.split(' '),
        ...[machine.dataFolder, dirname(machine.dataFolder), opened.confinement.workRoot, placeOf(opened, artifact)],
        ...['/usr/../data', '/USR/bin', '/', 'data'],
      ]) {
        const mounts = [{ volume, subPath: '', target, isReadOnly: false }];
        const ended = await start(opened, artifact, { owner: SPY, mounts }).then(
          ({ instance }) => instance.exited,
          (error: unknown) => error,
        );
        const proof = await readFile(join(source, 'proof'), 'utf8').catch(() => 'none');
        expect([target, proof]).toEqual([target, 'none']);
        expect(ended).toMatchObject({
          code: 'start_failed',
          message: expect.stringMatching(/ Redeploy with another mount path\.$/),
        });
        expect(String(ended)).toContain(`The volume for ${target} can't be mounted`);
      }
      expect(await readdir(join(opened.confinement.workRoot, 'run'))).toEqual([]);
    });

    // Fails when a start makes a link, or anything else, at a mount path of the machine.
    test.skipIf(isSandboxed)(
      'without a sandbox nothing is made on the machine, and the volume is where it is',
      async () => {
        const opened = await open();
        const { source, volume } = await opened.makeVolume();
        const token = crypto.randomUUID();
        const above = [
          '/',
          '/root',
          '/home',
          '/mnt',
          '/srv',
          '/opt',
          '/tmp',
          '/usr',
          '/var/lib',
          '/var/www',
          machine.outside,
        ];
        const listAll = async () =>
          (await Promise.all(above.map((folder) => readdir(folder).catch(() => []))))
            .flat()
            .filter((one) => one === token);
        for (const folder of above) {
          const target = join(folder, token);
          const mounts = [{ volume, subPath: '', target, isReadOnly: false }];
          const artifact = server({ '/': `fs.writeFileSync('${source}/file', '${target}'); return 1` });
          // Folders of the system are refused.
          const started = await start(opened, artifact, { mounts }).catch(() => undefined);
          expect([folder, started !== undefined]).toEqual([
            folder,
            /^\/(mnt|srv|opt|var\/lib|var\/www)?$/.test(folder),
          ]);
          expect(await started?.get('/')).toBe(started && 1);
          expect(await listAll()).toEqual([]);
          await started?.instance.stop();
          if (!started) continue;
          expect(started.output.stderr).toContain(`the one for ${target} is at ${source} (BERTH_VOLUMES)`);
          expect(await readFile(join(source, 'file'), 'utf8')).toBe(target);
        }
        expect(await listAll()).toEqual([]);
      },
    );

    test.skipIf(!hasUsers)('the address of a cloud’s metadata is refused', async () => {
      const opened = await open();
      const capabilities = await opened.runtime.capabilities();
      if (capabilities.find(({ id }) => id === 'metadata-address')?.status !== 'enforced') return;
      const { output, instance } = await start(
        opened,
        script(
          `require('node:net').connect(80, '169.254.10.10').on('error', (error) => console.log(error.code)).on('connect', () => console.log('connected'))`,
        ),
      );
      await instance.exited;
      expect(output.stdout).toMatch(/^E(ACCES|HOSTUNREACH)\n$/);
    });
  });
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
