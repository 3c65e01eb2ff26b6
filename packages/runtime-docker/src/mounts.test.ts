import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { chmod, chown, open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Mount } from '@berth/runtime';
import { script, server, start } from '@berth/runtime/contract';
import type { HostMount } from '@berth/runtime/files';
import { afterEach, describe, expect, test } from 'vitest';
import type { Engine } from './engine/open-engine.ts';
import { findContainerProcesses } from './run/container-processes.ts';
import { openMountPins } from './run/mount-pins.ts';
import { openMountSources } from './run/mount-sources.ts';
import {
  BASE_IMAGE,
  createDockerHarness,
  type DockerHarness,
  testGroupOf,
  volumeAt,
} from './testing/docker-harness.ts';
import { findTestEngine, skipWithoutEngine } from './testing/test-engine.ts';

const isRoot = process.getuid?.() === 0;
const folders: string[] = [];
const makeFolder = (): string => {
  const made = mkdtempSync(path.join(tmpdir(), 'berth-mounts-'));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Mounts of this process's namespace below a folder. */
const mountsBelow = (folder: string): string[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder));

describe('pins', () => {
  test('a server that may not mount takes its own folders, and says why it takes no sub_path', async () => {
    const pins = await openMountPins(undefined);
    const mount: HostMount = { source: makeFolder(), target: '/data', isReadOnly: false, isServerPath: false };
    const group = undefined;
    const [own] = await openMountSources([{ ...mount, isServerPath: true }], pins, group);
    expect(own).toMatchObject({ enginePath: mount.source, isPinned: false });
    // Fails when a path that tenants can replace is handed to the engine as it is.
    await expect(openMountSources([mount], pins, group)).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringMatching(/\/data .* run Berth as root/),
    });
  });

  test.skipIf(!isRoot)('what a killed server held is let go, and nothing in it is deleted', async () => {
    const folder = path.join(makeFolder(), 'pins');
    const source = makeFolder();
    await writeFile(path.join(source, 'precious'), 'x');
    const mount: HostMount = { source, target: '/data', isReadOnly: false, isServerPath: false };
    const killed = await openMountPins(folder);
    const pin = await killed.create(mount);
    await using handle = await open(source);
    await killed.hold(pin, handle, mount);
    expect(readdirSync(pin)).toEqual(['precious']);
    await openMountPins(folder);
    expect(readdirSync(folder)).toEqual([]);
    expect(readdirSync(source)).toEqual(['precious']);
    expect(mountsBelow(folder)).toEqual([]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});

const engine = await findTestEngine();
const suite = 'mounts: docker';
if (!engine) skipWithoutEngine(suite);
else
  describe.skipIf(!isRoot)(suite, () => {
    let harness: DockerHarness | undefined;
    afterEach(async () => {
      await harness?.[Symbol.asyncDispose]();
      harness = undefined;
    });
    /** Prints what it finds and stays. */
    const reader = script(`
      const fs = require('node:fs');
      try { console.log('found', fs.readFileSync('/data/file', 'utf8')); } catch (error) { console.log('found', error.code); }
      setInterval(() => {}, 1000);`);
    const mountOf = (folder: string, subPath = ''): Mount => ({
      ...volumeAt(folder, subPath),
      target: '/data',
      isReadOnly: false,
    });

    test('a sub_path is mounted, written to, and mounted again by a container made ahead', async () => {
      harness = await createDockerHarness(engine, { standbyDelayMs: 10 });
      const volume = makeFolder();
      await chmod(volume, 0o755);
      mkdirSync(path.join(volume, 'a/b'), { recursive: true });
      const program = server({
        '/': `fs.appendFileSync('/data/log', 'x'); return fs.readFileSync('/data/log', 'utf8')`,
      });
      const artifact = await harness.makeArtifact(program);
      const mounts = [mountOf(volume, 'a/b')];
      for (const expected of ['x', 'xx', 'xxx']) {
        const { get, instance } = await start(harness, artifact, { mounts });
        expect(await get('/')).toBe(expected);
        expect(mountsBelow('/pins/pin-')).toEqual([]);
        await instance.stop({ graceMs: 0 });
      }
    });

    test.each(['its last folder', 'a folder above it'])(
      'a sub_path of which %s is swapped for a symlink after it was verified leads nowhere else',
      async (which) => {
        const secrets = makeFolder();
        mkdirSync(path.join(secrets, 'b'));
        for (const place of ['file', 'b/file']) await writeFile(path.join(secrets, place), 'SECRET');
        const volume = makeFolder();
        await chmod(volume, 0o755);
        await chmod(secrets, 0o755);
        const source = path.join(volume, 'a/b');
        mkdirSync(source, { recursive: true });
        await writeFile(path.join(source, 'file'), 'own');
        const swap = () => {
          const place = which === 'its last folder' ? source : path.join(volume, 'a');
          renameSync(place, path.join(volume, 'moved'));
          symlinkSync(secrets, place);
        };
        harness = await createDockerHarness(beforeStart(engine, swap), { standbyDelayMs: 60_000 });
        // Fails when the engine is given the volume's own path: it resolves the link as root, and the program prints SECRET.
        const { output } = await start(harness, reader, { mounts: [mountOf(volume, 'a/b')] });
        await expect.poll(() => output.stdout, { timeout: 10_000 }).toContain('found');
        expect(output.stdout).toContain('found own');
        // The next one, and one that was made ahead, is refused.
        await expect(start(harness, reader, { mounts: [mountOf(volume, 'a/b')] })).rejects.toMatchObject({
          code: 'start_failed',
          message: expect.stringContaining('symlink'),
        });
      },
    );

    test('a tenant that swaps all the time never gets another folder', { timeout: 120_000 }, async () => {
      const secrets = makeFolder();
      await writeFile(path.join(secrets, 'file'), 'SECRET');
      await chmod(secrets, 0o755);
      const volume = makeFolder();
      await chmod(volume, 0o755);
      const source = path.join(volume, 'sub');
      mkdirSync(source);
      await writeFile(path.join(source, 'file'), 'own');
      harness = await createDockerHarness(engine, { standbyDelayMs: 10 });
      const artifact = await harness.makeArtifact(reader);
      let isSwapped = false;
      const swapping = setInterval(() => {
        if (isSwapped) {
          rmSync(source);
          renameSync(`${source}-kept`, source);
        } else {
          renameSync(source, `${source}-kept`);
          symlinkSync(secrets, source);
        }
        isSwapped = !isSwapped;
      }, 3);
      const found: string[] = [];
      try {
        for (let turn = 0; turn < 12; turn++) {
          const started = await start(harness, artifact, { mounts: [mountOf(volume, 'sub')] }).catch(
            (error: { code?: string }) => void found.push(String(error.code)),
          );
          if (!started) continue;
          await expect.poll(() => started.output.stdout, { timeout: 10_000 }).toContain('found');
          found.push(started.output.stdout.trim());
          await started.instance.stop({ graceMs: 0 });
        }
      } finally {
        clearInterval(swapping);
      }
      expect(found).toHaveLength(12);
      for (const one of found) expect(['found own', 'start_failed']).toContain(one);
    });

    test.each([
      ['the init process', '/sbin', 'docker-init'],
      ['the init process, by the folder behind the link', '/usr/sbin', 'docker-init'],
      ['the program', '/usr/local/bin', 'node'],
      ['what the loader reads', '/etc/ld.so.conf.d', 'evil.conf'],
    ])(
      'a volume over %s harms its own container alone: nothing of Berth runs there as root',
      async (_what, target, name) => {
        harness = await createDockerHarness(engine);
        const volume = await harness.makeVolume();
        const evil = '#!/bin/sh\ncat /proc/self/status > "$(dirname "$0")/who" 2>&1\nexec sleep 60\n';
        await writeFile(path.join(volume.source, name), evil, { mode: 0o755 });
        await chmod(volume.source, 0o777);
        const mounts = [{ ...volume, target, isReadOnly: false }];
        const started = await start(harness, reader, { mounts }).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'start_failed' });
        });
        if (!started) return;
        const { containerId } = started.instance as { readonly containerId?: string };
        const { State } = await engine.docker.getContainer(containerId ?? '').inspect();
        // Fails when anything in the container is started by another user than the image's, or with what the engine gives by default.
        for (const pid of findContainerProcesses(State.Pid)) {
          const status = readFileSync(`/proc/${pid}/status`, 'utf8');
          expect(status).toMatch(/^Uid:\s10001\s10001\s10001\s10001$/m);
          expect(status).toMatch(/^CapBnd:\s0+$/m);
          expect(status).toMatch(/^NoNewPrivs:\s1$/m);
          expect(status).toMatch(/^Seccomp:\s2$/m);
        }
        expect(await started.instance.stop({ graceMs: 500 })).toMatchObject({ isRequested: true });
      },
    );

    test("each account has a group, and another account's program that gets at a volume can't read it", async () => {
      harness = await createDockerHarness(engine);
      // As an earlier version left it: one group for the volumes of all accounts.
      const volume = makeFolder();
      const file = path.join(volume, 'file');
      await writeFile(file, 'own', { mode: 0o660 });
      for (const place of [file, volume]) await chown(place, 0, 10_001);
      await chmod(volume, 0o2770);
      const mounts = [mountOf(volume)];
      const { output } = await start(harness, reader, { mounts, owner: { account: 'one', deployment: 'shop' } });
      await expect.poll(() => output.stdout, { timeout: 10_000 }).toContain('found own');
      const [one, other] = [await testGroupOf('one'), await testGroupOf('other')];
      expect([statSync(volume).gid, statSync(file).gid]).toEqual([one, one]);
      const read = async (group: number): Promise<string> => {
        const container = await engine.docker.createContainer({
          ...{ Image: BASE_IMAGE, Cmd: ['cat', '/data/file'], User: '10001:10001', Tty: true },
          HostConfig: { Binds: [`${volume}:/data`], GroupAdd: [String(group)], CapDrop: ['ALL'] },
        });
        await container.start();
        await container.wait();
        const said = String(await container.logs({ stdout: true, stderr: true }));
        await container.remove();
        return said;
      };
      expect(await read(one)).toContain('own');
      // Fails when every account's containers are in group 10001.
      expect(await read(other)).toMatch(/permission denied/i);
    });
  });

/** An engine before whose next start of a container something happens: the last moment before it resolves paths. */
function beforeStart(engine: Engine, happen: () => void): Engine {
  let isDone = false;
  return {
    ...engine,
    call: (work) =>
      engine.call((docker) => {
        if (!isDone && String(work).includes('.start()')) {
          isDone = true;
          happen();
        }
        return work(docker);
      }),
  };
}
