import { createError } from '@berth/contract';
import { type Clock, createLimiter, type Logger } from '@berth/kit';
import {
  type CommandOutcome,
  type CommandSpec,
  createLineSplitter,
  type OutputSink,
  type OutputStream,
} from '@berth/runtime';
import type { Confinement } from '../confinement/confinement.ts';
import type { Identity } from '../identity/can-reach.ts';
import { canEnter } from '../identity/can-reach.ts';
import { baseEnvironment } from '../launch/base-environment.ts';
import type { Launched } from '../launch/launch-spec.ts';
import { resolveProgram } from '../launch/resolve-program.ts';
import { watchDisk } from '../launch/watch-disk.ts';
import { watchLimits } from '../launch/watch-limits.ts';
import type { ProgramNetwork } from '../network/networks.ts';

/** Options of {@link runCommand}. */
export interface RunOptions {
  readonly spec: CommandSpec;
  /** Names the run; unique on this server. */
  readonly name: string;
  readonly identity: Identity | undefined;
  readonly privateFolder: string;
  readonly confinement: Confinement;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The reason that Berth ended the command. */
type Cause = 'timeout' | 'output_limit' | 'disk_limit' | 'cancelled';

/** Runs a command to its end, and then ends its background processes. */
export async function runCommand(options: RunOptions): Promise<CommandOutcome> {
  const { spec, signal, clock, privateFolder, confinement } = options;
  const { limits, onLine } = spec;
  const lines = createLineOutput(limits.outputBytes, onLine, () => end('output_limit'));
  let cause: Cause | undefined;
  let launched: Launched | undefined;
  const end = (why: Cause): void => {
    cause ??= why;
    launched?.kill();
  };

  const network = await confinement.networks.take();
  try {
    launched = startCommand(options, network, lines.sink);
  } catch (error) {
    await network.release();
    throw error;
  }
  const onAbort = (): void => end('cancelled');
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  const timer = clock.setTimer(limits.timeoutMs, () => end('timeout'));
  const { memory, processes } = confinement.cgroups;
  watchLimits(
    launched,
    { memoryBytes: memory ? undefined : limits.memoryBytes, processes: processes ? undefined : limits.processes },
    (what) => lines.note(what === 'memory' ? OVER_MEMORY : OVER_PROCESSES),
    clock,
  );
  const stopWatching = watchDisk([...spec.writableFolders, privateFolder], limits.diskBytes, options, () =>
    end('disk_limit'),
  );

  const { exitCode, signal: endedBy, isOutOfMemory } = await launched.ended;
  await network.release();
  timer.cancel();
  stopWatching();
  signal?.removeEventListener('abort', onAbort);
  await lines.finish();
  if (cause !== undefined) return { kind: cause };
  if (isOutOfMemory) return { kind: 'out_of_memory' };
  return endedBy === null ? { kind: 'exited', exitCode: exitCode ?? 1 } : { kind: 'signalled', signal: endedBy };
}

const OVER_MEMORY = 'berth: the command exceeded its memory limit and was killed.';
const OVER_PROCESSES = 'berth: the command exceeded its process limit and was killed.';

function startCommand(options: RunOptions, network: ProgramNetwork, output: OutputSink): Launched {
  const { spec, name, identity, privateFolder, confinement } = options;
  const { workingFolder, limits } = spec;
  if (identity && !confinement.isSandboxed && !canEnter(workingFolder, identity)) {
    throw new Error(`user ${identity.uid} can't reach ${workingFolder}: folders above it lack mode o+x`);
  }
  const env = { ...baseEnvironment(privateFolder, confinement), ...spec.env };
  const [program = '', ...args] = spec.argv;
  const resolved = resolveProgram({ name: program, programPath: env['PATH'] ?? '', workingFolder, identity });
  if (resolved.kind === 'missing') throw createError('build_failed', `${resolved.problem}.`);
  const bind = (isReadOnly: boolean) => (source: string) => ({ source, isReadOnly });
  const prepared = confinement.prepare({
    name,
    identity,
    argv: [resolved.path, ...args],
    workingFolder,
    env,
    privateFolder,
    // A writable folder may be inside a readable one, not the other way round.
    binds: [...spec.readableFolders.map(bind(true)), ...spec.writableFolders.map(bind(false))],
    verified: [],
    network,
    limits: { ...limits, isLowPriority: true },
    isSharing: false,
  });
  return prepared.start(output);
}

/** Creates a sink that splits both streams into lines and delivers them one at a time. */
function createLineOutput(maxBytes: number, onLine: CommandSpec['onLine'], onOverflow: () => void) {
  const splitters = { stdout: createLineSplitter(), stderr: createLineSplitter() };
  const queue = createLimiter({ concurrency: 1 });
  let bytes = 0;
  let failure: { readonly error: unknown } | undefined;

  const handOver = (lines: readonly string[]): Promise<void> =>
    queue.run(async () => {
      try {
        for (const line of lines) if (!failure) await onLine(line);
      } catch (error) {
        failure = { error };
      }
    });
  return {
    async sink(stream: OutputStream, chunk: Uint8Array): Promise<void> {
      if (bytes > maxBytes) return;
      bytes += chunk.length;
      if (bytes > maxBytes) onOverflow();
      const lines = splitters[stream].push(chunk);
      if (lines.length > 0) await handOver(lines);
    },
    note: (line: string) => void handOver([line]),
    /** Delivers the remaining lines. @throws what `onLine` threw. */
    async finish(): Promise<void> {
      await handOver([...splitters.stdout.flush(), ...splitters.stderr.flush()]);
      if (failure) throw failure.error;
    },
  };
}
