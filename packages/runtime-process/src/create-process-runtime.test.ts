import { describeRuntime } from '@berth/runtime/contract';
import { afterAll } from 'vitest';
import { createLevels, findRuntimeSkips } from './testing/levels.ts';
import { createProcessHarness } from './testing/process-harness.ts';

for (const level of await createLevels()) {
  afterAll(() => level.machine[Symbol.asyncDispose]());
  describeRuntime(`process (${level.name})`, {
    create: () => createProcessHarness(level.machine),
    skip: findRuntimeSkips(level),
  });
}
