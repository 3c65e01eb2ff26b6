import { describeCommandSandbox } from '@berth/runtime/contract';
import { afterAll } from 'vitest';
import { createLevels } from './testing/levels.ts';
import { createProcessHarness } from './testing/process-harness.ts';

for (const { name, machine } of await createLevels()) {
  afterAll(() => machine[Symbol.asyncDispose]());
  describeCommandSandbox(`process (${name})`, { create: () => createProcessHarness(machine) });
}
