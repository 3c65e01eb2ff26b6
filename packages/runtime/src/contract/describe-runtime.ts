import { ISOLATION } from '@berth/contract';
import { afterAll, afterEach, describe, expect } from 'vitest';
import type { OutputSink } from '../output-sink.ts';
import { type ContractSkip, createContractTest } from './contract-skips.ts';
import { describeBadPrograms } from './describe-bad-programs.ts';
import { describeConnect } from './describe-connect.ts';
import { describeExec } from './describe-exec.ts';
import { describeIsolation } from './describe-isolation.ts';
import { describeStopping } from './describe-stopping.ts';
import { eventually } from './eventually.ts';
import type { RuntimeContract } from './runtime-contract.ts';
import { OWNER, type RuntimeHarness, script, server, start } from './runtime-harness.ts';

/** The longest time until a measurement: kubelets measure every 10 to 15 seconds. */
const MEASURED_MS = 25_000;

/** Options of {@link describeRuntime}. */
export interface RuntimeContractOptions {
  /** Called once for each test; the harness is disposed of after the test. */
  readonly create: () => Promise<RuntimeHarness>;
  readonly skip?: readonly ContractSkip[];
}

/** Defines the tests that every {@link Runtime} passes. */
export function describeRuntime(name: string, { create, skip = [] }: RuntimeContractOptions): void {
  describe(`runtime: ${name}`, () => {
    let harness: Promise<RuntimeHarness> | undefined;
    const { contractTest, checkSkips } = createContractTest(skip);
    const open = (): Promise<RuntimeHarness> => (harness ??= create());
    const contract: RuntimeContract = {
      contractTest,
      open,
      async run(program, overrides) {
        const opened = await open();
        return { ...(await start(opened, program, overrides)), harness: opened };
      },
    };
    afterEach(async () => {
      const opened = harness;
      harness = undefined;
      await (await opened)?.[Symbol.asyncDispose]();
    });
    afterAll(checkSkips);

    describeStarting(contract);
    describeOutput(contract);
    describeStopping(contract);
    describeBadPrograms(contract);
    describeIsolation(contract);
    describeConnect(contract);
    describeExec(contract);
  });
}

function describeStarting({ contractTest, open, run }: RuntimeContract): void {
  contractTest('starts a program that answers at its address, with references in its command filled in', async () => {
    const program = server({ '/': 'return process.argv.slice(2)' });
    const { get } = await run(
      { ...program, command: [...program.command, `$GREETING-\${NAME}`, '$$x'] },
      {
        env: { GREETING: 'hello', NAME: 'world $HOME' },
      },
    );
    expect(await get('/')).toEqual(['hello-world $HOME', '$x']);
  });

  contractTest('gives it its environment and nothing of the platform', async () => {
    process.env['BERTH_CANARY'] = 'secret';
    const { get, instance } = await run(server({ '/': 'return process.env' }), { env: { COLOR: 'blue', EMPTY: '' } });
    const env = (await get('/')) as Record<string, string>;
    expect(env).toMatchObject({ COLOR: 'blue', EMPTY: '' });
    expect(Number(env['PORT'])).toBeGreaterThan(0);
    expect(JSON.stringify(env)).not.toContain('secret');
    // A cluster tells every program where its API is.
    const usual = [
      'COLOR',
      'EMPTY',
      'HOME',
      'HOSTNAME',
      'LANG',
      'PATH',
      'PORT',
      'PWD',
      'TMPDIR',
      'USER',
      'NODE_VERSION',
      'YARN_VERSION',
    ];
    expect(Object.keys(env).filter((key) => !usual.includes(key) && !/^KUBERNETES_/.test(key))).toEqual([]);
    expect(instance.address.port).toBeGreaterThan(0);
  });

  contractTest('gives every instance an address of its own', async () => {
    const harness = await open();
    const artifact = await harness.makeArtifact(server({ '/': 'return process.env.NAME' }), OWNER);
    const names = ['a', 'b', 'c'];
    const all = await Promise.all(names.map((name) => start(harness, artifact, { env: { NAME: name } })));
    expect(await Promise.all(all.map(({ get }) => get('/')))).toEqual(names);
    expect(new Set(all.map(({ instance: { address } }) => `${address.host}:${address.port}`)).size).toBe(3);
  });

  contractTest('a command that is not there is start_failed', async () => {
    const started = run({ files: { 'main.js': '' }, command: ['no-such-program', 'x'] });
    await expect(started).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringContaining('no-such-program'),
    });
  });

  contractTest('a command that is no program is start_failed', async () => {
    const started = run({ files: { 'main.js': 'text' }, command: ['./main.js'] });
    await expect(started).rejects.toMatchObject({ code: 'start_failed' });
  });

  contractTest('a start that is given up leaves nothing', async () => {
    const harness = await open();
    const reason = new Error('changed my mind');
    const options = { signal: AbortSignal.abort(reason) };
    const artifact = await harness.makeArtifact(script('setInterval(() => {}, 1e3)'), OWNER);
    const spec = { instanceId: 'i_1' as never, owner: OWNER, revision: 'r', artifact, env: {}, port: 8080 };
    const limits = { memoryBytes: 2 ** 28, cpuMillis: 1_000, mounts: [], output: () => {} };
    await expect(harness.runtime.start({ ...spec, ...limits }, options)).rejects.toBe(reason);
    const late = new AbortController();
    const starting = harness.runtime.start({ ...spec, ...limits }, { signal: late.signal });
    late.abort(reason);
    await expect(starting).rejects.toBe(reason);
  });

  contractTest('tells the ports it listens on, wherever they are', async () => {
    const { instance } = await run(script(`require('node:net').createServer().listen(0, '127.0.0.1')`));
    const ports = await eventually('a port', async () => {
      const found = await instance.listeningPorts();
      return found.length > 0 && found;
    });
    expect(ports).toHaveLength(1);
    expect(ports).not.toContain(instance.address.port);
  });

  contractTest('tells CPU time and memory', async () => {
    const { instance } = await run(script('const end = Date.now() + 9e4; while (Date.now() < end);'));
    // Node alone needs more than a megabyte: a smaller figure would measure something else.
    const first = await eventually(
      'CPU time and memory',
      async () => {
        const stats = await instance.stats();
        return stats.cpuMs > 0 && stats.memoryBytes > 2 ** 20 ? stats : undefined;
      },
      MEASURED_MS,
    );
    await eventually('more CPU time', async () => (await instance.stats()).cpuMs > first.cpuMs + 50, MEASURED_MS);
  });

  contractTest('says what it can and cannot enforce', async () => {
    const { runtime } = await open();
    const capabilities = await runtime.capabilities();
    expect(new Set(capabilities.map(({ id }) => id)).size).toBe(capabilities.length);
    for (const { id, status, detail, remedy } of capabilities) {
      // A capability that isn't in the table could neither be required by operators nor shown to accounts.
      expect(ISOLATION.map((requirement) => requirement.id)).toContain(id);
      expect(detail).not.toBe('');
      expect(remedy !== undefined).toBe(status !== 'enforced');
    }
  });
}

function describeOutput({ contractTest, run }: RuntimeContract): void {
  contractTest('hands over all output, in order, before the exit', async () => {
    const { instance, output } = await run(
      script(`for (let i = 0; i < 2000; i++) console.log(i); console.error('last words'); process.exitCode = 3`),
    );
    expect(await instance.exited).toEqual({ exitCode: 3, signal: null, isOutOfMemory: false, isRequested: false });
    expect(output.stdout).toBe(Array.from({ length: 2000 }, (_, i) => `${i}\n`).join(''));
    expect(output.stderr).toBe('last words\n');
  });

  contractTest('hands over raw bytes', async () => {
    const { instance, output } = await run(script(`process.stdout.write(Buffer.from([0, 255, 10, 13, 128]))`));
    await instance.exited;
    expect(Buffer.from(output.stdout, 'utf8').includes(0)).toBe(true);
    expect(output.stdout).toBe('\0\ufffd\n\r\ufffd');
  });

  contractTest('a slow reader slows the program down and loses nothing', async () => {
    let bytes = 0;
    let pending = 0;
    let mostPending = 0;
    const sink: OutputSink = async (_stream, chunk) => {
      pending += 1;
      mostPending = Math.max(mostPending, pending);
      await new Promise((resolve) => setTimeout(resolve, 1));
      bytes += chunk.length;
      pending -= 1;
    };
    const block = 2 ** 20;
    const { instance } = await run(
      script(
        `const block = Buffer.alloc(${block}, 'x'); for (let i = 0; i < 16; i++) require('node:fs').writeSync(1, block);`,
      ),
      { output: sink },
    );
    await instance.exited;
    expect(bytes).toBe(16 * block);
    expect(mostPending).toBe(1);
  });

  contractTest('a reader that fails does not harm the program', async () => {
    const program = script(`for (let i = 0; i < 100; i++) console.log('x'.repeat(10000)); process.exitCode = 4`);
    const { instance } = await run(program, {
      output: async () => {
        throw new Error('no room');
      },
    });
    expect(await instance.exited).toMatchObject({ exitCode: 4 });
  });
}
