import { findMarked, script, server, start } from '@berth/runtime/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { createDockerHarness, type DockerHarness } from './testing/docker-harness.ts';
import { eventually } from './testing/eventually.ts';
import { findTestEngine, skipWithoutEngine } from './testing/test-engine.ts';

const MIB = 2 ** 20;
const EAT = `const all = []; setInterval(() => { for (let i = 0; i < 8; i++) all.push(Buffer.alloc(2 ** 20, 1)); }, 5);`;

const engine = await findTestEngine();
const suite = 'limits: docker';
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

    test('an instance that takes too much memory dies alone', async () => {
      const opened = await open();
      const good = await start(opened, server({ '/': 'return process.pid' }));
      const pid = await good.get('/');
      const bad = await start(opened, script(EAT), { memoryBytes: 64 * MIB });
      expect(await bad.instance.exited).toMatchObject({ signal: 'SIGKILL', isOutOfMemory: true, isRequested: false });
      expect(await good.get('/')).toBe(pid);
    });

    test('a child that takes too much is told of in the output, and its parent goes on', async () => {
      const opened = await open();
      const program = server(
        { '/': 'return deaths' },
        `let deaths = 0; require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(`require('node:fs').writeFileSync('/proc/self/oom_score_adj', '1000'); ${EAT}`)}]).on('exit', (code, signal) => { deaths += signal === 'SIGKILL' ? 1 : 0; });`,
      );
      const { get, output } = await start(opened, program, { memoryBytes: 192 * MIB });
      await eventually('the death of the child', async () => (await get('/')) === 1);
      await eventually('a note', () => output.stderr.includes('exceeded its memory limit'));
      expect(await get('/')).toBe(1);
    });

    test('one that spins gets its share of the CPU and no more', async () => {
      const opened = await open();
      const { instance } = await start(opened, script(`for (;;);`), { cpuMillis: 200 });
      await eventually('it runs', async () => (await instance.stats()).cpuMs > 100);
      const [before, begunMs] = [(await instance.stats()).cpuMs, performance.now()];
      await eventually('a second of it', async () => (await instance.stats()).cpuMs - before > 500, 60_000);
      const share = ((await instance.stats()).cpuMs - before) / (performance.now() - begunMs);
      expect(share).toBeLessThan(0.25);
    });

    // Fails when `resume` doesn't look for a killed process: it resolves first, and a request reaches a program that is about to end.
    test('one that is killed while it is suspended has exited once it is resumed', async () => {
      const opened = await open();
      const { instance, get } = await start(opened, server({ '/': 'return 1' }), { env: { MARKER: 'suspended' } });
      expect(await get('/')).toBe(1);
      await instance.suspend?.();
      const [program] = findMarked('MARKER=suspended').filter(({ program }) => program !== 'docker-init');
      process.kill(program!.pid, 'SIGKILL');
      await instance.resume?.();
      const exit = await Promise.race([instance.exited, Promise.resolve('runs')]);
      expect(exit).toMatchObject({ isRequested: false });
    });

    // Fails when a resume asks the engine, which takes ten times as long as the kernel.
    test('one that is suspended is resumed while the engine is away', async () => {
      let isAway = false;
      const opened = await open({
        engine: {
          ...engine,
          call: (work) => (isAway ? Promise.reject(new Error('the engine is away')) : engine.call(work)),
        },
      });
      const { instance, get } = await start(opened, server({ '/': 'return 1' }));
      expect(await get('/')).toBe(1);
      await instance.suspend?.();
      isAway = true;
      await instance.resume?.();
      expect(await get('/')).toBe(1);
      isAway = false;
      expect(await instance.stop({ graceMs: 2_000 })).toMatchObject({ isRequested: true });
    });

    test('a fork bomb stops at the limit of processes', async () => {
      const opened = await open({ maxProcesses: 40 });
      const program = server({
        '/': `const { spawn } = require('node:child_process'); let failed = 0;
          for (let i = 0; i < 60; i++) try { await new Promise((resolve, reject) => spawn('sleep', ['60']).on('spawn', resolve).on('error', reject)); } catch (error) { failed++; }
          return { failed, processes: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length };`,
      });
      const { get } = await start(opened, program);
      const { failed, processes } = (await get('/')) as { failed: number; processes: number };
      expect(failed).toBeGreaterThan(20);
      expect(processes).toBeLessThanOrEqual(40);
      const neighbour = await start(opened, server({ '/': 'return 1' }));
      expect(await neighbour.get('/')).toBe(1);
    });

    test('a full /tmp is an error to the program, not its end', async () => {
      const opened = await open();
      const program = server({
        '/fill': `const file = fs.openSync('/tmp/x', 'w'); try { for (let i = 0; i < 512; i++) fs.writeSync(file, Buffer.alloc(2 ** 20)); return 'no end'; } finally { fs.closeSync(file); }`,
        '/': 'return 1',
      });
      const { get } = await start(opened, program, { memoryBytes: 256 * MIB });
      expect(await get('/fill')).toEqual({ error: 'ENOSPC' });
      expect(await get('/')).toBe(1);
    });

    test('one that fills its disk is ended, and told why', async () => {
      const opened = await open({ diskBytes: 8 * MIB });
      const fill = `const fs = require('node:fs'); try { for (let i = 0; i < 32; i++) fs.appendFileSync('big', Buffer.alloc(2 ** 20)); } catch (error) { console.error(error.code); } setInterval(() => {}, 1000);`;
      const { instance, output } = await start(opened, script(fill));
      const ended = Promise.race([
        instance.exited,
        eventually('a full disk', () => output.stderr.includes('ENOSPC'), 60_000),
      ]);
      await ended;
      expect(output.stderr).toMatch(/wrote more than 8 MiB to its own disk|ENOSPC/);
    });

    test('with a read-only root only /tmp and volumes can be written', async () => {
      const opened = await open({ isRootReadOnly: true });
      const { volume, target } = await opened.makeVolume();
      const tryWrite = (path: string) =>
        `try { fs.writeFileSync('${path}', ''); return 1 } catch (error) { return error.code }`;
      const program = server({
        '/app': tryWrite('/app/x'),
        '/tmp': tryWrite('/tmp/x'),
        '/volume': tryWrite(`${target}/x`),
      });
      const { get } = await start(opened, program, { mounts: [{ volume, subPath: '', target, isReadOnly: false }] });
      expect([await get('/app'), await get('/tmp'), await get('/volume')]).toEqual(['EROFS', 1, 1]);
    });
  });
