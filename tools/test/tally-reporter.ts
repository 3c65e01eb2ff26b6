import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { type Failure, type Tally, toSkip } from './tally.ts';

/** A vitest reporter that writes the run's {@link Tally} to `file` as JSON. */
export function createTallyReporter(file: string): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]) {
      const tests = modules.flatMap((one) => [...one.children.allTests()]);
      const skipped = tests.filter((one) => one.result().state === 'skipped');
      const tally: Tally = {
        passed: tests.filter((one) => one.result().state === 'passed').length,
        failed: [
          ...tests
            .filter((one) => one.result().state === 'failed')
            .map((one) => toFailure(one.module, one.fullName, one.result().errors ?? [])),
          // A hook that throws fails its suite, and the tests in it are only skipped.
          ...modules
            .flatMap((one) => [...one.children.allSuites()])
            .filter((one) => one.errors().length > 0)
            .map((one) => toFailure(one.module, one.fullName, one.errors())),
          ...modules.filter((one) => one.errors().length > 0).map((one) => toFailure(one, '', one.errors())),
          ...unhandled.map((error) => ({ test: 'outside a test', reason: toReason([error]) })),
        ],
        skipped: skipped.map((one) => {
          const result = one.result();
          const note = result.state === 'skipped' ? result.note : undefined;
          return toSkip(`${one.module.relativeModuleId} ${one.fullName}`, note);
        }),
      };
      writeFileSync(file, JSON.stringify(tally));
    },
  };
}

const MAX_REASON_CHARACTERS = 1500;

function toFailure({ relativeModuleId: file }: TestModule, name: string, errors: readonly SerializedError[]): Failure {
  return { test: `${file} ${name}`.trimEnd(), file, reason: toReason(errors) };
}

function toReason(errors: readonly SerializedError[]): string {
  const reasons = errors.map((error) => {
    const [frame] = error.stacks ?? [];
    const place = frame === undefined ? '' : `\nat ${frame.file}:${frame.line}`;
    return `${messageOf(error)}${place}`.slice(0, MAX_REASON_CHARACTERS);
  });
  return reasons.join('\n');
}

/** Returns the message with those of its causes, because `fetch failed` alone says nothing. */
function messageOf({ message, cause }: SerializedError): string {
  return cause?.message ? `${message}: ${messageOf(cause)}` : message;
}
