import { describeCommandSandbox } from '@berth/runtime/contract';
import { afterAll } from 'vitest';
import { createLevels, findSandboxSkips } from './testing/levels.ts';
import { createProcessHarness } from './testing/process-harness.ts';

for (const level of await createLevels()) {
  afterAll(() => level.machine[Symbol.asyncDispose]());
  describeCommandSandbox(`process (${level.name})`, {
    create: () => createProcessHarness(level.machine),
    skip: findSandboxSkips(level),
  });
}
