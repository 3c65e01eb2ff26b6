import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Clock, describeError, type Logger } from '@berth/kit';
import type { OutputSink, OutputStream } from '@berth/runtime';

/** The stdout and stderr of a program, from before it is spawned until its last byte was delivered. */
export interface ProgramOutput {
  /** For `stdio` of `spawn`. */
  readonly stdio: readonly [number | 'pipe', number | 'pipe'];
  /** Closes this process's writing ends. Call it right after `spawn`, whether that succeeded or not. */
  attach(child: ChildProcess): void;
  /** Starts delivering output. Call it once. */
  read(sink: OutputSink): void;
  /** Frees the pipes when `spawn` threw. */
  discard(): void;
  /** Waits until all output was delivered, for at most `timeoutMs`, because some process may hold a pipe open forever. */
  finish(timeoutMs: number): Promise<void>;
  /** Returns the beginning of stderr, which explains why a program wasn't executed. */
  errorText(): string;
}

const ERROR_TEXT_BYTES = 1_000;

/**
 * Opens the named pipes that `createPrivateFolder` made, and unlinks them. A program can reopen a named pipe as `/dev/stdout`, which the
 * socket pairs that Node makes for `'pipe'` refuse. Falls back to `'pipe'` when there are no named pipes.
 */
export function openProgramOutput(privateFolder: string, clock: Clock, logger: Logger): ProgramOutput {
  const pipes = openNamedPipes(privateFolder);
  let errorText = Buffer.alloc(0);
  let pumps: Promise<unknown> = Promise.resolve();
  let readables: readonly Readable[] = [];

  const pump = async (readable: Readable, stream: OutputStream, sink: OutputSink): Promise<void> => {
    let hasFailed = false;
    try {
      for await (const chunk of readable as AsyncIterable<Buffer>) {
        if (stream === 'stderr' && errorText.length < ERROR_TEXT_BYTES) errorText = Buffer.concat([errorText, chunk]);
        try {
          await sink(stream, chunk);
        } catch (error) {
          // Keep reading, because a full pipe would stall the program.
          if (!hasFailed) logger.error({ stream, error: describeError(error) }, 'output of a program was lost');
          hasFailed = true;
        }
      }
    } catch {
      // finish() destroyed the stream; the rest is dropped.
    }
  };

  return {
    stdio: pipes ? [pipes.stdout.write, pipes.stderr.write] : ['pipe', 'pipe'],
    attach(child) {
      if (pipes) for (const pipe of [pipes.stdout, pipes.stderr]) closeSync(pipe.write);
      const stdout = pipes ? new Socket({ fd: pipes.stdout.read, readable: true, writable: false }) : child.stdout;
      const stderr = pipes ? new Socket({ fd: pipes.stderr.read, readable: true, writable: false }) : child.stderr;
      // Node provides no streams for a program that couldn't be spawned.
      if (stdout && stderr) readables = [stdout, stderr];
    },
    read(sink) {
      const [stdout, stderr] = readables;
      if (stdout && stderr) pumps = Promise.all([pump(stdout, 'stdout', sink), pump(stderr, 'stderr', sink)]);
    },
    discard() {
      if (pipes) for (const { read, write } of [pipes.stdout, pipes.stderr]) [read, write].forEach(closeSync);
    },
    async finish(timeoutMs) {
      let timer: { cancel(): void } | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = clock.setTimer(timeoutMs, resolve);
      });
      await Promise.race([pumps, timeout]);
      timer?.cancel();
      for (const readable of readables) readable.destroy();
    },
    errorText: () => errorText.toString('utf8').slice(0, ERROR_TEXT_BYTES).trim(),
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
