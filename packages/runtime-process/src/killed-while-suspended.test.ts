import { findMarked, server, start } from '@berth/runtime/contract';
import { afterAll, describe, expect, test } from 'vitest';
import { createLevels } from './testing/levels.ts';
import { createProcessHarness } from './testing/process-harness.ts';

for (const { name, machine } of await createLevels()) {
  afterAll(() => machine[Symbol.asyncDispose]());

  describe(`an instance that is killed while it is suspended: ${name}`, () => {
    // Fails when `thaw` doesn't look for processes that were killed: `resume` then resolves first, and a request reaches a program
    // that is about to end.
    test('has exited once it is resumed, whichever of its processes was killed', async () => {
      await using harness = await createProcessHarness(machine);
      const artifact = await harness.makeArtifact(server({ '/': 'return 1' }), {
        account: 'acme',
        deployment: 'hello',
      });
      for (let victim = 0; ; victim++) {
        const marker = `MARKER=suspended-${process.pid}-${victim}`;
        const [key, value] = marker.split('=') as [string, string];
        const { instance, get } = await start(harness, artifact, { env: { [key]: value } });
        expect(await get('/')).toBe(1);
        await instance.suspend?.();
        const processes = findMarked(marker);
        const { pid, program } = processes[victim]!;
        process.kill(pid, 'SIGKILL');
        await instance.resume?.();
        const exit = await Promise.race([instance.exited, Promise.resolve('runs')]);
        expect({ program, exit }).toMatchObject({ program, exit: { isRequested: false } });
        if (victim === processes.length - 1) break;
      }
    });

    // Without a sandbox the frozen program is the only process, and its end is seen when it is resumed.
    if (!machine.confinement.isSandboxed) return;
    // Fails when `killRest` leaves the rest frozen: it takes SIGKILL only after `exited` was given up waiting for.
    test('leaves nothing behind when its bubblewrap was killed, without being resumed', async () => {
      await using harness = await createProcessHarness(machine);
      const artifact = await harness.makeArtifact(server({ '/': 'return 1' }), {
        account: 'acme',
        deployment: 'hello',
      });
      const marker = `MARKER=outer-${process.pid}`;
      const { instance, get } = await start(harness, artifact, { env: { MARKER: `outer-${process.pid}` } });
      expect(await get('/')).toBe(1);
      await instance.suspend?.();
      const [outer] = findMarked(marker).sort((one, other) => one.pid - other.pid);
      process.kill(outer!.pid, 'SIGKILL');
      await instance.exited;
      expect(findMarked(marker)).toEqual([]);
    });
  });
}
