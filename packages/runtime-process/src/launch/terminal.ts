import { closeSync, constants, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ReadStream } from 'node:tty';
import { createError } from '@berth/contract';
import type { Clock, Logger } from '@berth/kit';
import type { OutputSink, TerminalSize } from '@berth/runtime';
import { createDelivery, waitAtMost } from '@berth/runtime/drivers';
import { terminalDescriptors } from './create-spawn.ts';
import type { ProgramOutput } from './program-output.ts';

/** The part of node-pty's binary that is used. Source: node-pty, src/unix/pty.cc. */
interface PtyBinary {
  open(columns: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string };
  resize(descriptor: number, columns: number, rows: number): void;
}

/** A pseudoterminal, which takes the place of a program's pipes. */
export interface Terminal extends ProgramOutput {
  /** Resolves when there is room for more. Never rejects. */
  write(chunk: Uint8Array): Promise<void>;
  resize(size: TerminalSize): void;
}

/** The character that ends the input of a terminal in its usual mode: Ctrl-D. */
const END_OF_INPUT = new Uint8Array([4]);

/**
 * Opens a terminal.
 * @throws BerthError `unavailable` when this machine can't make terminals.
 */
export function openTerminal({ columns, rows }: TerminalSize, clock: Clock, logger: Logger): Terminal {
  const pty = loadBinary();
  const { master, slave, pty: path } = pty.open(columns, rows);
  terminalDescriptors.add(master);
  closeSync(slave);
  // While this process has the terminal open, it doesn't end before its output was read. Opened anew, because the descriptor of node-pty
  // doesn't block, which programs don't expect.
  let device: number | undefined = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  const stream = new ReadStream(master);
  const delivery = createDelivery('output of a terminal was lost', logger);
  const closed = Promise.withResolvers<void>();
  let delivered: Promise<void> = Promise.resolve();
  let waiting = 0;
  stream.on('error', () => {});
  stream.once('close', () => {
    terminalDescriptors.delete(master);
    closed.resolve();
  });
  const release = (): void => {
    if (device !== undefined) closeSync(device);
    device = undefined;
  };
  return {
    stdio: [device, device, device],
    attach() {},
    read(sink: OutputSink) {
      stream.on('data', (chunk: Buffer) => {
        waiting++;
        stream.pause();
        delivered = delivered
          .then(() => delivery.take(sink, 'stdout', chunk))
          .then(() => {
            waiting--;
            if (waiting === 0 && !stream.destroyed) stream.resume();
          });
      });
    },
    discard() {
      release();
      stream.destroy();
    },
    async finish(timeoutMs) {
      // No process writes any more. The kernel hands over the rest, and then reports an error, which would drop what waits in the stream.
      const rest = async (): Promise<void> => {
        await delivered;
        stream.pause = () => stream;
        release();
        await closed.promise;
        await delivered;
      };
      await waitAtMost(rest(), timeoutMs, clock);
      stream.destroy();
    },
    errorText: delivery.errorText,
    write: (chunk) =>
      new Promise((resolve) => {
        if (stream.destroyed) resolve();
        else stream.write(chunk.length === 0 ? END_OF_INPUT : chunk, () => resolve());
      }),
    resize(size) {
      if (!stream.destroyed) pty.resize(master, size.columns, size.rows);
    },
  };
}

const require = createRequire(import.meta.url);
let binary: PtyBinary | undefined;

function loadBinary(): PtyBinary {
  try {
    binary ??= require('@lydell/node-pty/requireBinary.js').requireBinary('pty.node') as PtyBinary;
    return binary;
  } catch (cause) {
    throw createError('unavailable', 'This server has no terminals for its platform. Run the command without one.', {
      cause,
    });
  }
}
