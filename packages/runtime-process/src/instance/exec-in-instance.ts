import { createError } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { type ExecProcess, type ExecSpec, SHELL_COMMAND } from '@berth/runtime';
import { removeTree } from '../identity/remove-tree.ts';
import { type Launched, type LaunchSpec, NotExecutedError } from '../launch/launch-spec.ts';
import { openTerminal, type Terminal } from '../launch/terminal.ts';
import { watchLimits } from '../launch/watch-limits.ts';
import type { InstanceParts } from './prepare-instance.ts';

/** The instance that a command joins. */
export interface ExecTarget {
  /** The spec of its program. */
  readonly launch: LaunchSpec;
  readonly launched: Launched;
  /** Names the command; unique on this server. */
  readonly name: string;
}

/** Where a command's own marks end; see `SessionSpec.folder`. */
const MARK = 'BERTH_SESSION';

/** As {@link Runtime.exec}, for an instance whose program runs. The command ends with it. */
export async function execInInstance(
  { launch, launched, name }: ExecTarget,
  { command, terminal: wanted, output }: ExecSpec,
  { confinement, maxProcesses, clock, logger }: InstanceParts,
): Promise<ExecProcess> {
  const folder = await confinement.createPrivateFolder(name, launch.identity);
  let terminal: Terminal | undefined;
  try {
    terminal = wanted && openTerminal(wanted, clock, logger);
    const prepared = confinement.prepare({
      ...launch,
      name,
      argv: command.length === 0 ? SHELL_COMMAND : command,
      env: { ...launch.env, [MARK]: `${folder}/`, ...(wanted && { TERM: wanted.type }) },
      session: { cgroup: launched.cgroup, folder, terminal },
    });
    const { input } = prepared;
    input?.on('error', () => {});
    const started = prepared.start(output);
    void launched.ended.then(() => started.kill());
    const { memory, processes } = confinement.cgroups;
    watchLimits(
      started,
      { memoryBytes: memory ? undefined : launch.limits.memoryBytes, processes: processes ? undefined : maxProcesses },
      () => {},
      clock,
    );
    const exited = started.ended.then(async ({ exitCode, signal }) => {
      input?.destroy();
      await removeTree(folder).catch((error: unknown) => {
        logger.warn({ folder, error: String(error) }, 'a folder was left behind');
      });
      return { exitCode, signal };
    });
    await started.executed;
    return {
      exited,
      async write(chunk) {
        if (chunk.length === 0) return;
        if (terminal) return terminal.write(chunk);
        if (!input || input.destroyed || input.writableEnded) return;
        await new Promise<void>((resolve) => input.write(chunk, () => resolve()));
      },
      endInput() {
        if (terminal) void terminal.write(new Uint8Array());
        else input?.end();
      },
      resize: (size) => terminal?.resize(size),
      signal: (signal) => started.signal(signal),
      kill() {
        started.kill();
        return exited;
      },
    };
  } catch (error) {
    terminal?.discard();
    await removeTree(folder).catch(() => {});
    if (BerthError.is(error)) throw error;
    const reason = error instanceof NotExecutedError ? error.message : 'the system refused it';
    throw createError('start_failed', `The command couldn't be executed: ${reason}.`, { cause: error });
  }
}
