import { describeRuntime } from '@berth/runtime/contract';
import { afterAll } from 'vitest';
import { createLevels, UNSANDBOXED_SKIPS } from './testing/levels.ts';
import { createProcessHarness } from './testing/process-harness.ts';

for (const { name, machine } of await createLevels()) {
  afterAll(() => machine[Symbol.asyncDispose]());
  describeRuntime(`process (${name})`, {
    create: () => createProcessHarness(machine),
    skip: machine.confinement.isSandboxed ? [] : UNSANDBOXED_SKIPS,
  });
}
