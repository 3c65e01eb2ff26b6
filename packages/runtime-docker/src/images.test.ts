import { symlinkSync } from 'node:fs';
import type { ImageArtifact } from '@berth/runtime';
import { script, server, start } from '@berth/runtime/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { BASE_IMAGE, createDockerHarness, type DockerHarness } from './testing/docker-harness.ts';
import { eventually } from './testing/eventually.ts';
import { findTestEngine, skipWithoutEngine } from './testing/test-engine.ts';

/** Tells who it is. */
const WHO =
  server({
    '/': `return { uid: process.getuid(), gid: process.getgid(), home: process.env.HOME, caps: /CapEff:\\s(\\w+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1] }`,
  }).files['main.js'] ?? '';

const engine = await findTestEngine();
const suite = 'images: docker';
if (!engine) skipWithoutEngine(suite);
else
  describe(suite, () => {
    let harness: DockerHarness | undefined;
    const open = async (options: Parameters<typeof createDockerHarness>[1] = {}): Promise<DockerHarness> => {
      harness ??= await createDockerHarness(engine, options);
      return harness;
    };
    afterEach(async () => {
      await harness?.[Symbol.asyncDispose]();
      harness = undefined;
    });
    const makeImage = async (opened: DockerHarness, ...lines: string[]): Promise<ImageArtifact> =>
      opened.makeImage({
        'main.js': WHO,
        Dockerfile: [`FROM ${BASE_IMAGE}`, 'COPY main.js /main.js', ...lines].join('\n'),
      });
    const CMD = 'CMD ["node", "/main.js"]';

    test('one without a USER runs as an unprivileged one, and is told so', async () => {
      const opened = await open();
      const { get, output } = await start(opened, await makeImage(opened, CMD));
      expect(await get('/')).toEqual({ uid: 10_001, gid: 10_001, home: '/tmp', caps: '0'.repeat(16) });
      expect(output.stderr).toContain('berth: this image has no USER and may not be root');
    });

    test.each([
      ['USER 0:0', 10_001],
      ['USER root', 10_001],
      ['USER node', 1_000],
      ['USER 1000', 1_000],
      ['USER 4321', 4_321],
      ['USER 4321:0', 4_321],
    ])('%s runs as %i', async (line, uid) => {
      const opened = await open();
      const { get } = await start(opened, await makeImage(opened, line, CMD));
      expect(await get('/')).toMatchObject({ uid, gid: uid, caps: '0'.repeat(16) });
    });

    test('a name that stands for root is root', async () => {
      const opened = await open();
      const { get } = await start(
        opened,
        await makeImage(opened, 'RUN echo "app:x:0:0::/:/bin/sh" >> /etc/passwd', 'USER app', CMD),
      );
      expect(await get('/')).toMatchObject({ uid: 10_001 });
    });

    test('root where the operator lets it be, with a short list of capabilities', async () => {
      const opened = await open({ isRootAllowed: true });
      const { get, output } = await start(opened, await makeImage(opened, CMD));
      // CHOWN 0, DAC_OVERRIDE 1, FOWNER 3, KILL 5, SETGID 6, SETUID 7, NET_BIND_SERVICE 10. Source: linux/capability.h.
      expect(await get('/')).toMatchObject({ uid: 0, caps: (0b100_1110_1011).toString(16).padStart(16, '0') });
      expect(output.stderr).toBe('');
    });

    test('one that names a user it does not have says so', async () => {
      const opened = await open();
      await expect(start(opened, await makeImage(opened, 'USER nobody-knows', CMD))).rejects.toMatchObject({
        code: 'start_failed',
        message: expect.stringContaining('nobody-knows'),
      });
    });

    test('one without a command says so', async () => {
      const opened = await open();
      const image = await makeImage(opened, 'CMD []');
      await expect(start(opened, image)).rejects.toMatchObject({
        code: 'start_failed',
        message: expect.stringContaining('CMD'),
      });
    });

    test('one that the engine has not is to be deployed anew', async () => {
      const opened = await open();
      const reference = `sha256:${'0'.repeat(64)}`;
      await expect(start(opened, { kind: 'image', reference, name: 'gone' })).rejects.toMatchObject({
        code: 'start_failed',
        message: expect.stringContaining('Deploy again'),
      });
    });

    test('a folder of the process runtime is refused, saying what to do', async () => {
      const opened = await open();
      const folder = { kind: 'folder', path: '/tmp', command: ['true'], env: {}, sharedFolders: [] } as const;
      await expect(start(opened, folder)).rejects.toMatchObject({
        code: 'start_failed',
        message: expect.stringContaining('Deploy again'),
      });
    });

    test('a port that is open to the container only is told apart', async () => {
      const opened = await open();
      const listen = `const net = require('node:net'); net.createServer().listen(7001, '127.0.0.1'); net.createServer().listen(7002, '::1').on('error', () => {}); net.createServer().listen(7003, '0.0.0.0');`;
      const { instance } = await start(opened, script(listen));
      await eventually('three ports', async () => (await instance.listeningPorts()).length >= 2);
      expect(await instance.listeningPorts()).toEqual(expect.arrayContaining([7001, 7003]));
      const loopback = (await instance.loopbackPorts?.()) ?? [];
      expect(loopback).toContain(7001);
      expect(loopback).not.toContain(7003);
    });

    test('a volume whose folder is a symlink is refused', async () => {
      const opened = await open();
      const { source, volume, target } = await opened.makeVolume();
      symlinkSync('/etc', `${source}/link`);
      const mounts = [{ volume, subPath: 'link', target, isReadOnly: true }];
      await expect(start(opened, script(''), { mounts })).rejects.toMatchObject({
        code: 'start_failed',
        message: expect.stringContaining('symlink'),
      });
      const below = [{ volume, subPath: 'link/apt', target, isReadOnly: true }];
      await expect(start(opened, script(''), { mounts: below })).rejects.toMatchObject({ code: 'start_failed' });
    });

    test('the next start finds its container made, and starts without its network, too', async () => {
      const ready: (() => void)[] = [];
      const debug = (_fields: unknown, message: string): void => {
        if (message === 'ready for the next start') ready.shift()?.();
      };
      const silent = { info() {}, warn() {}, error() {}, child: () => logger };
      const logger = { ...silent, debug };
      const opened = await open({ standbyDelayMs: 10, logger });
      const isReady = (): Promise<void> => new Promise((resolve) => ready.push(resolve));
      const artifact = await opened.makeArtifact(server({ '/': 'return 1' }));
      const filters = { label: [`berth.server=${opened.serverId}`], status: ['created'] };
      const created = async (): Promise<string[]> =>
        (await engine.docker.listContainers({ all: true, filters })).map(({ Id }) => Id);
      let next = isReady();
      const first = await start(opened, artifact);
      await next;
      const [made] = await created();
      expect(made).toBeDefined();
      next = isReady();
      const second = await start(opened, artifact);
      expect(await second.get('/')).toBe(1);
      expect((await engine.docker.getContainer(made ?? '').inspect()).State.Running).toBe(true);
      await next;
      await Promise.all([first.instance.stop(), second.instance.stop()]);
      // As `docker network prune` does.
      await opened.networks.removeUnused();
      const third = await start(opened, artifact);
      expect(await third.get('/')).toBe(1);
      await opened.runtime.forget({ account: 'acme', deployment: 'hello' });
      expect(await created()).toEqual([]);
    });

    test('an OCI runtime that the engine has not is refused at the start', async () => {
      await expect(open({ ociRuntime: 'no-such-runtime' })).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('runc'),
      });
    });
  });
