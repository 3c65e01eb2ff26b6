import { expect } from 'vitest';
import type { RuntimeContract } from './runtime-contract.ts';
import { script, server, start } from './runtime-harness.ts';

/** Defines the contract tests of programs that misbehave. */
export function describeBadPrograms({ contractTest, open, run }: RuntimeContract): void {
  contractTest('one that exits at once', async () => {
    const { instance } = await run(script('process.exit(0)'));
    expect(await instance.exited).toEqual({ exitCode: 0, signal: null, isOutOfMemory: false, isRequested: false });
  });

  contractTest('one that is ended by a signal', async () => {
    const { instance } = await run(script(`process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)`));
    expect(await instance.exited).toEqual({
      exitCode: null,
      signal: 'SIGKILL',
      isOutOfMemory: false,
      isRequested: false,
    });
  });

  contractTest('one that takes more memory than it has', async () => {
    const { instance } = await run(
      script(
        `const all = []; setInterval(() => { for (let i = 0; i < 8; i++) all.push(Buffer.alloc(2 ** 20, 1)); }, 5)`,
      ),
      { memoryBytes: 128 * 2 ** 20 },
    );
    expect(await instance.exited).toEqual({
      exitCode: null,
      signal: 'SIGKILL',
      isOutOfMemory: true,
      isRequested: false,
    });
  });

  contractTest('one that closes its output', async () => {
    const program = server({ '/': 'return 1' }, 'fs.closeSync(1); fs.closeSync(2);');
    const { get, instance } = await run(program);
    expect(await get('/')).toBe(1);
    expect(await instance.stop()).toMatchObject({ signal: 'SIGTERM' });
  });

  contractTest('one that prints 100 MB as fast as it can', async () => {
    let bytes = 0;
    const { instance } = await run(
      script(
        `const block = Buffer.alloc(2 ** 20, 'x'); for (let i = 0; i < 100; i++) require('node:fs').writeSync(1, block);`,
      ),
      {
        output(_stream, chunk) {
          bytes += chunk.length;
        },
      },
    );
    expect(await instance.exited).toMatchObject({ exitCode: 0 });
    expect(bytes).toBe(100 * 2 ** 20);
  });

  contractTest('one that crashes while another runs leaves the other alone', async () => {
    const harness = await open();
    const good = await start(harness, server({ '/': 'return process.pid' }));
    const bad = await start(harness, script(`throw new Error('boom')`));
    expect(await bad.instance.exited).toMatchObject({ exitCode: 1 });
    expect(bad.output.stderr).toContain('boom');
    expect(await good.get('/')).toBeGreaterThan(0);
  });
}
