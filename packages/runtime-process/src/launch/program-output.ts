import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Clock, describeError, type Logger } from '@berth/kit';
import type { OutputSink, OutputStream } from '@berth/runtime';

/** Where a program's stdout and stderr go to, from before it is spawned until its last byte was handed over. */
export interface ProgramOutput {
  /** For `stdio` of `spawn`. */
  readonly stdio: readonly [number | 'pipe', number | 'pipe'];
  /** To be called right after `spawn`, whether it worked or not: this process must not keep the writing ends. */
  attach(child: ChildProcess): void;
  /** Begins to hand over, once. */
  read(sink: OutputSink): void;
  /** Gives up on a program that was not spawned. */
  discard(): void;
  /** Resolves when all was handed over, or `timeoutMs` after the call: somebody may hold a pipe open for ever. */
  finish(timeoutMs: number): Promise<void>;
  /** The beginning of stderr, for the case that nothing was executed. */
  errorText(): string;
}

const ERROR_TEXT_BYTES = 1_000;

/**
 * Opens the named pipes that `createPrivateFolder` made, and takes their names away: real pipes, which a program can
 * open again as `/dev/stdout` (the socket pairs that Node makes for `'pipe'` refuse that). Without them, Node's own.
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
          // Reading goes on: unread, the pipe would fill and stall the program.
          if (!hasFailed) logger.error({ stream, error: describeError(error) }, 'output of a program was lost');
          hasFailed = true;
        }
      }
    } catch {
      // Destroyed by finish(): nobody waits for the rest.
    }
  };

  return {
    stdio: pipes ? [pipes.stdout.write, pipes.stderr.write] : ['pipe', 'pipe'],
    attach(child) {
      if (pipes) for (const pipe of [pipes.stdout, pipes.stderr]) closeSync(pipe.write);
      const stdout = pipes ? new Socket({ fd: pipes.stdout.read, readable: true, writable: false }) : child.stdout;
      const stderr = pipes ? new Socket({ fd: pipes.stderr.read, readable: true, writable: false }) : child.stderr;
      // Node has none for a program that could not be spawned.
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
    // Without O_NONBLOCK it would wait for a writer, which is the next line.
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
