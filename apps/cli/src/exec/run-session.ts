import type { IncomingMessage } from 'node:http';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { credentialHeaders, responseError } from '@berth/client';
import type { ExecClientMessage, ExecServerMessage } from '@berth/contract';
import { createError, type ErrorCode } from '@berth/contract/errors';
import { EXEC_PROTOCOL, EXEC_STREAMS } from '@berth/contract/exec-protocol';
import { type RawData, WebSocket } from 'ws';
import type { Target } from '../config/resolve-target.ts';

/** Options of {@link runSession}. */
export interface SessionOptions {
  readonly target: Pick<Target, 'baseUrl' | 'credential'>;
  /** Path and query of the WebSocket. */
  readonly path: string;
  readonly command: readonly string[];
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: Writable;
  /** The value of `TERM`; undefined: without a terminal. `input` and `output` are terminals otherwise. */
  readonly terminal: string | undefined;
  readonly signal: AbortSignal;
  onInterrupt(handler: () => void): Disposable;
}

/** How a command in a service ended. */
export interface SessionEnd {
  readonly instance: string;
  readonly revision: string;
  readonly exit_code: number | null;
  readonly signal: string | null;
}

type TerminalInput = Readable & { setRawMode?(isRaw: boolean): void };
type TerminalOutput = Writable & { readonly columns?: number; readonly rows?: number };

/** Bytes of input on their way, above which standard input isn't read. */
const WINDOW_BYTES = 2 ** 18;
const MESSAGE_BYTES = 2 ** 15;

/**
 * Runs a command in a service, with this program's streams as its own, to its end.
 * @throws BerthError what the server refuses with; `unavailable` when the connection is lost.
 */
export async function runSession(options: SessionOptions): Promise<SessionEnd> {
  const { target, path, command, terminal, signal } = options;
  const input: TerminalInput = options.input;
  const output: TerminalOutput = options.output;
  const socket = new WebSocket(`${target.baseUrl.replace(/^http/, 'ws')}${path}`, EXEC_PROTOCOL, {
    headers: credentialHeaders(target.credential),
    perMessageDeflate: false,
  });
  const say = (message: ExecClientMessage): void => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
  };
  const size = () => ({ columns: output.columns ?? 80, rows: output.rows ?? 24 });
  const resize = (): void => say({ type: 'resize', ...size() });
  const forward = (chunk: Buffer): void => {
    for (let at = 0; at < chunk.length; at += MESSAGE_BYTES)
      socket.send(chunk.subarray(at, at + MESSAGE_BYTES), resume);
    if (socket.bufferedAmount > WINDOW_BYTES) input.pause();
  };
  const resume = (): void => {
    if (socket.bufferedAmount <= WINDOW_BYTES && input.isPaused()) input.resume();
  };
  const endInput = (): void => say({ type: 'end' });
  const { promise, resolve, reject } = Promise.withResolvers<SessionEnd>();
  let place = { instance: '', revision: '' };
  let written = Promise.resolve();
  const take = (data: RawData, isBinary: boolean): void => {
    if (isBinary) {
      const bytes = data as Buffer;
      const stream = bytes[0] === EXEC_STREAMS.stderr ? options.errors : output;
      // A slow reader of this program's output slows the command down.
      if (stream.write(bytes.subarray(1))) return;
      socket.pause();
      written = new Promise((drained) => {
        stream.once('drain', () => {
          socket.resume();
          drained();
        });
      });
      return;
    }
    const message = JSON.parse(String(data)) as ExecServerMessage;
    if (message.type === 'started') place = message;
    else if (message.type === 'exit') resolve({ ...pick(place), exit_code: message.exit_code, signal: message.signal });
    else reject(createError(message.code as ErrorCode, message.message));
  };
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  using _interrupt = options.onInterrupt(() => say({ type: 'signal', signal: 'SIGINT' }));
  socket.on('message', take);
  socket.on('error', (cause) => reject(createError('unavailable', `Can't reach ${target.baseUrl}.`, { cause })));
  socket.on('close', () => reject(createError('unavailable', 'The connection was lost. The command has ended.')));
  socket.on('unexpected-response', async (_request, response) =>
    reject(await readRefusal(response, target.baseUrl + path)),
  );
  socket.on('open', () => {
    say({ type: 'start', command: [...command], ...(terminal && { terminal: { ...size(), type: terminal } }) });
    if (terminal !== undefined) {
      input.setRawMode?.(true);
      output.on('resize', resize);
    }
    input.on('data', forward);
    input.once('end', endInput);
  });
  try {
    const end = await promise;
    await written;
    return end;
  } finally {
    signal.removeEventListener('abort', abort);
    if (terminal !== undefined) input.setRawMode?.(false);
    output.off('resize', resize);
    input.off('data', forward);
    input.off('end', endInput);
    input.pause();
    socket.removeAllListeners('close');
    socket.close();
  }
}

/** Returns the error of a handshake that the server answered in another way. */
export async function readRefusal(response: IncomingMessage, url: string): Promise<Error> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const { statusCode = 500 } = response;
  const headers = { 'content-type': response.headers['content-type'] ?? 'text/plain' };
  return responseError(new Response(null, { status: statusCode, headers }), Buffer.concat(chunks).toString(), url);
}

const pick = ({ instance, revision }: { readonly instance: string; readonly revision: string }) => ({
  instance,
  revision,
});

/** Returns the exit code for a shell: 128 + n when signal n ended the command. */
export function toExitCode({ exit_code, signal }: Pick<SessionEnd, 'exit_code' | 'signal'>): number {
  return exit_code ?? 128 + (Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 9);
}
