import type { Context } from '../command/context.ts';
import type { Target } from '../config/resolve-target.ts';
import { Interrupted } from '../errors/interrupted.ts';
import { UsageError } from '../errors/usage-error.ts';
import type { Output } from '../output/output.ts';
import { buildProgram, isHelpShown, type ProgramOptions } from './build-program.ts';
import { describeFailure } from './describe-failure.ts';
import type { GlobalOptions } from './global-options.ts';

/** Exit codes. 2 for a wrong command line is the convention of shells. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** Options of {@link runCli}. */
export interface RunCliOptions extends Omit<ProgramOptions, 'dispatch' | 'fail'> {
  /** The arguments after the program's name. */
  readonly words: readonly string[];
  readonly signal: AbortSignal;
  createOutput(globals: GlobalOptions): Output;
  createContext(globals: GlobalOptions, output: Output): Context;
}

/** Runs a command line and returns its exit code. Errors are printed; nothing is thrown. */
export async function runCli(options: RunCliOptions): Promise<number> {
  let exitCode: number = EXIT.done;
  const program = buildProgram({
    ...options,
    // Usage errors follow `--json` and `--no-color` too.
    fail: (failure) =>
      options
        .createOutput({ json: options.words.includes('--json'), color: !options.words.includes('--no-color') })
        .fail(failure),
    dispatch: async (command, input, globals) => {
      const output = options.createOutput(globals);
      const context = options.createContext(globals, output);
      try {
        exitCode = (await command.run(input, context)) ?? EXIT.done;
      } catch (error) {
        exitCode = await showFailure(error, context, options.signal);
      } finally {
        output.clearStatus();
      }
    },
  });
  try {
    if (options.words.length === 0) program.outputHelp();
    else await program.parseAsync([...options.words], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (isCommanderError(error)) return isHelpShown(error) ? EXIT.done : EXIT.usage;
    throw error;
  }
}

async function showFailure(error: unknown, context: Context, signal: AbortSignal): Promise<number> {
  const reason: unknown = signal.aborted ? signal.reason : error;
  if (reason instanceof Interrupted) return reason.exitCode;
  const target = await context.target().catch((): Target | undefined => undefined);
  context.output.fail(describeFailure(error, target));
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

function isCommanderError(error: unknown): error is import('commander').CommanderError {
  return (
    error instanceof Error && 'exitCode' in error && String((error as { code?: unknown }).code).startsWith('commander.')
  );
}
