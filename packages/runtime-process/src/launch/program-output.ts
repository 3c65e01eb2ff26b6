import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock, Logger } from '@berth/kit';
import type { OutputSink, OutputStream } from '@berth/runtime';
import { createDelivery, waitAtMost } from '@berth/runtime/drivers';
import type { ProgramStdio } from './program.ts';

/** The stdout and stderr of a program, from before it is spawned until its last byte was delivered. */
export type ProgramOutput = ReturnType<typeof openProgramOutput>;

/**
 * Opens the named pipes that `createPrivateFolder` made, and unlinks them. A program can reopen a named pipe as `/dev/stdout`, which the
 * socket pairs that Node makes for `'pipe'` refuse. Falls back to `'pipe'` when there are no named pipes.
 */
export function openProgramOutput(privateFolder: string, clock: Clock, logger: Logger, hasInput = false) {
  const pipes = openNamedPipes(privateFolder);
  const delivery = createDelivery('output of a program was lost', logger);
  let pumps: Promise<unknown> = Promise.resolve();
  let readables: readonly Readable[] = [];

  const pump = async (readable: Readable, stream: OutputStream, sink: OutputSink): Promise<void> => {
    try {
      for await (const chunk of readable as AsyncIterable<Buffer>) await delivery.take(sink, stream, chunk);
    } catch {
      // finish() destroyed the stream; the rest is dropped.
    }
  };

  return {
    /** For `stdio` of `spawn`. */
    stdio: [
      hasInput ? 'pipe' : 'ignore',
      ...(pipes ? [pipes.stdout.write, pipes.stderr.write] : (['pipe', 'pipe'] as const)),
    ] as ProgramStdio,
    /** Closes this process's writing ends. Call it right after `spawn`, whether that succeeded or not. */
    attach(child: ChildProcess): void {
      if (pipes) for (const pipe of [pipes.stdout, pipes.stderr]) closeSync(pipe.write);
      const stdout = pipes ? new Socket({ fd: pipes.stdout.read, readable: true, writable: false }) : child.stdout;
      const stderr = pipes ? new Socket({ fd: pipes.stderr.read, readable: true, writable: false }) : child.stderr;
      // Node provides no streams for a program that couldn't be spawned.
      if (stdout && stderr) readables = [stdout, stderr];
    },
    /** Starts delivering output. Call it once. */
    read(sink: OutputSink): void {
      const [stdout, stderr] = readables;
      if (stdout && stderr) pumps = Promise.all([pump(stdout, 'stdout', sink), pump(stderr, 'stderr', sink)]);
    },
    /** Frees the pipes when `spawn` threw. */
    discard(): void {
      if (pipes) for (const { read, write } of [pipes.stdout, pipes.stderr]) [read, write].forEach(closeSync);
    },
    /** Waits until all output was delivered, for at most `timeoutMs`, because some process may hold a pipe open forever. */
    async finish(timeoutMs: number): Promise<void> {
      await waitAtMost(pumps, timeoutMs, clock);
      for (const readable of readables) readable.destroy();
    },
    errorText: delivery.errorText,
  };
}

interface PipeEnds {
  readonly read: number;
  readonly write: number;
}

function openNamedPipes(folder: string): { readonly stdout: PipeEnds; readonly stderr: PipeEnds } | undefined {
  const open = (name: string): PipeEnds => {
    const path = join(folder, name);
    // Without O_NONBLOCK this would wait for a writer, which only the next line opens.
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const write = openSync(path, constants.O_WRONLY);
    unlinkSync(path);
    return { read, write };
  };
  let stdout: PipeEnds | undefined;
  try {
    stdout = open('stdout');
    return { stdout, stderr: open('stderr') };
  } catch (error) {
    if (stdout) [stdout.read, stdout.write].forEach((fd) => void closeSync(fd));
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
