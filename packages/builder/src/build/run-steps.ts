import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { type CommandOutcome, type CommandSandbox, expandCommand, type Owner } from '@berth/runtime';
import { formatBytes } from '../files/format-bytes.ts';
import type { Command } from '../plan/command.ts';
import type { BuildLimits } from './build-limits.ts';
import { createOutputTail } from './output-tail.ts';
import { resolveCommand } from './resolve-command.ts';

/** Lines shown with the error of a failed build. */
const TAIL_LINES = 40;

export interface RunStepsOptions {
  readonly sandbox: CommandSandbox;
  readonly clock: Clock;
  readonly owner: Owner;
  readonly steps: readonly Command[];
  /** The project. */
  readonly folder: string;
  readonly binFolders: readonly string[];
  readonly writableFolders: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly limits: BuildLimits;
  /** On the clock's monotonic scale. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly onLine: (line: string, isOutput: boolean) => void | Promise<void>;
}

/**
 * Runs commands one after another; time and output are counted over all of them.
 * @throws BerthError `build_failed` naming the command that failed, `build_timeout`, `cancelled`; `details.logs` has the last lines.
 */
export async function runSteps(options: RunStepsOptions): Promise<void> {
  const { sandbox, clock, limits, signal, onLine } = options;
  const tail = createOutputTail(TAIL_LINES);
  let outputBytes = 0;
  for (const step of options.steps) {
    if (signal.aborted) throw createError('cancelled', 'The build was cancelled.');
    const timeoutMs = options.deadlineMs - clock.monotonicMs();
    await onLine(`$ ${step.title}`, false);
    const outcome: CommandOutcome =
      timeoutMs <= 0
        ? { kind: 'timeout' }
        : await sandbox.run(
            {
              owner: options.owner,
              argv: expandCommand(await resolveCommand(step, options.folder, options.binFolders), options.env),
              workingFolder: options.folder,
              env: options.env,
              writableFolders: options.writableFolders,
              readableFolders: [],
              limits: {
                timeoutMs,
                memoryBytes: limits.memoryBytes,
                cpuMillis: limits.cpuMillis,
                processes: limits.processes,
                outputBytes: Math.max(1, limits.outputBytes - outputBytes),
                diskBytes: limits.diskBytes,
              },
              onLine(line) {
                outputBytes += Buffer.byteLength(line) + 1;
                tail.add(line);
                return onLine(line, true);
              },
            },
            { signal },
          );
    if (outcome.kind === 'exited' && outcome.exitCode === 0) continue;
    throw explainOutcome(step.title, outcome, limits, tail.lines);
  }
}

function explainOutcome(title: string, outcome: CommandOutcome, limits: BuildLimits, logs: readonly string[]) {
  const failed = (message: string) => createError('build_failed', message, { details: { step: title, logs } });
  switch (outcome.kind) {
    case 'exited':
      return failed(`${title} failed with exit code ${outcome.exitCode}`);
    case 'signalled':
      return failed(`${title} was ended by ${outcome.signal}`);
    case 'out_of_memory':
      return failed(`${title} needed more than the ${formatBytes(limits.memoryBytes)} of memory that a build may use`);
    case 'output_limit':
      return failed(`${title} was ended: the build printed more than ${formatBytes(limits.outputBytes)}`);
    case 'disk_limit':
      return failed(`${title} was ended: the build wrote more than ${formatBytes(limits.diskBytes)}`);
    case 'timeout':
      return createError(
        'build_timeout',
        `The build took longer than ${limits.timeoutMs / 1_000} seconds and was ended in ${title}`,
        { details: { step: title, logs } },
      );
    case 'cancelled':
      return createError('cancelled', 'The build was cancelled.', { details: { step: title, logs } });
  }
}
