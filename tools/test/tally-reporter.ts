import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { type Tally, toSkip } from './tally.ts';

/** A vitest reporter that writes the run's {@link Tally} to `file` as JSON. */
export function createTallyReporter(file: string): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]) {
      const tests = modules.flatMap((one) => [...one.children.allTests()]);
      const skipped = tests.filter((one) => one.result().state === 'skipped');
      const tally: Tally = {
        passed: tests.filter((one) => one.result().state === 'passed').length,
        failed: tests.filter((one) => one.result().state === 'failed').length,
        skipped: skipped.map((one) => {
          const result = one.result();
          const note = result.state === 'skipped' ? result.note : undefined;
          return toSkip(`${one.module.relativeModuleId} ${one.fullName}`, note);
        }),
        errors: unhandled.length + modules.filter((one) => one.errors().length > 0).length,
      };
      writeFileSync(file, JSON.stringify(tally));
    },
  };
}
