import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { type CommandOutcome, type CommandSandbox, expandCommand, type Owner } from '@berth/runtime';
import { formatBytes } from '../files/format-bytes.ts';
import type { Command } from '../plan/command.ts';
import type { BuildLimits } from './build-limits.ts';
import { createOutputTail } from './output-tail.ts';
import { type ProgramFolders, resolveCommand } from './resolve-command.ts';

/** Number of output lines included in the error of a failed build. */
const TAIL_LINES = 40;

/** Options of {@link runSteps}. */
export interface RunStepsOptions {
  readonly sandbox: CommandSandbox;
  readonly clock: Clock;
  readonly owner: Owner;
  readonly steps: readonly Command[];
  /** The project, which is the working folder. */
  readonly folder: string;
  readonly programFolders: ProgramFolders;
  readonly writableFolders: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly limits: BuildLimits;
  /** Time by which all steps must have ended, on the clock's monotonic scale. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly onLine: (line: string, isOutput: boolean) => void | Promise<void>;
}

/**
 * Runs commands one after another. The limits on time and output apply to all of them together.
 * @throws BerthError `build_failed` naming the command that failed, `build_timeout`, `cancelled`; `details.logs` has
 * the last lines.
 */
export async function runSteps(options: RunStepsOptions): Promise<void> {
  const { limits, signal, onLine } = options;
  const tail = createOutputTail(TAIL_LINES);
  let outputBytes = 0;
  const waiting = [...options.steps];
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    if (signal.aborted) throw createError('cancelled', 'The build was canceled.');
    await onLine(`$ ${step.title}`, false);
    const { otherwise, refusal } = step;
    let isMendable = false;
    let isRefused = false;
    const outcome = await runStep(options, step, Math.max(1, limits.outputBytes - outputBytes), (line) => {
      outputBytes += Buffer.byteLength(line) + 1;
      tail.add(line);
      if (otherwise !== undefined && line.includes(otherwise.afterOutput)) isMendable = true;
      isRefused ||= refusal?.afterOutput.some((text) => line.includes(text)) ?? false;
      return onLine(line, true);
    });
    if (outcome.kind === 'exited' && outcome.exitCode === 0) continue;
    if (outcome.kind !== 'exited' || otherwise === undefined || !isMendable) {
      if (refusal !== undefined && isRefused) {
        throw createError('build_failed', refusal.message, { details: { step: step.title, logs: tail.lines } });
      }
      throw explainOutcome(step.title, outcome, limits, tail.lines);
    }
    await onLine(otherwise.notice, false);
    waiting.unshift(otherwise.command);
  }
}

async function runStep(
  options: RunStepsOptions,
  step: Command,
  outputBytes: number,
  onLine: (line: string) => void | Promise<void>,
): Promise<CommandOutcome> {
  const { sandbox, clock, owner, folder, programFolders, env, writableFolders, limits, signal } = options;
  const timeoutMs = options.deadlineMs - clock.monotonicMs();
  if (timeoutMs <= 0) return { kind: 'timeout' };
  const { memoryBytes, cpuMillis, processes, diskBytes } = limits;
  return sandbox.run(
    {
      owner,
      argv: expandCommand(await resolveCommand(step, folder, programFolders), env),
      workingFolder: folder,
      env,
      writableFolders,
      readableFolders: [],
      limits: { timeoutMs, memoryBytes, cpuMillis, processes, outputBytes, diskBytes },
      onLine,
    },
    { signal },
  );
}

function explainOutcome(title: string, outcome: CommandOutcome, limits: BuildLimits, logs: readonly string[]) {
  const failed = (message: string) => createError('build_failed', message, { details: { step: title, logs } });
  switch (outcome.kind) {
    case 'exited':
      return failed(`${title} failed with exit code ${outcome.exitCode}`);
    case 'signalled':
      return failed(`${title} was killed by ${outcome.signal}`);
    case 'out_of_memory':
      return failed(`${title} exceeded the ${formatBytes(limits.memoryBytes)} memory limit of builds`);
    case 'output_limit':
      return failed(`${title} was stopped: the build printed more than ${formatBytes(limits.outputBytes)}`);
    case 'disk_limit':
      return failed(`${title} was stopped: the build wrote more than ${formatBytes(limits.diskBytes)}`);
    case 'timeout':
      return createError(
        'build_timeout',
        `The build took longer than ${limits.timeoutMs / 1_000} seconds and was stopped in ${title}`,
        { details: { step: title, logs } },
      );
    case 'cancelled':
      return createError('cancelled', 'The build was canceled.', { details: { step: title, logs } });
  }
}
