import type { ExecClientMessage, ExecServerMessage } from '@berth/contract';
import { EXEC_PROTOCOL } from '@berth/contract/exec-protocol';

/** The state of a command. A `failed` one has the server's message; undefined: the connection was refused or lost. */
export type ExecState =
  | { readonly phase: 'connecting' }
  | { readonly phase: 'running'; readonly instance: string }
  | { readonly phase: 'ended'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly phase: 'failed'; readonly message?: string; readonly wasOpen: boolean };

interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface ExecConnectionOptions {
  /** Address of the WebSocket. */
  readonly url: string;
  readonly size: Size;
  /** Prints output, and calls `done` once it is shown. */
  print(output: Uint8Array, done: () => void): void;
  onState(state: ExecState): void;
  readonly createSocket?: (url: string, protocol: string) => WebSocket;
}

/** A shell in an instance, on a terminal. */
export interface ExecConnection {
  /** Sends input, in pieces that the server takes. */
  send(input: Uint8Array<ArrayBuffer>): void;
  resize(size: Size): void;
  /** Ends the shell. No state follows. */
  close(): void;
}

const MESSAGE_BYTES = 2 ** 15;
/** Output that isn't shown yet: more pauses the command, less lets it go on. */
const PENDING_BYTES = { most: 2 ** 19, least: 2 ** 16 } as const;

/**
 * Connects to a new shell in an instance. Invariants:
 * X1: At most about `PENDING_BYTES.most` bytes wait to be shown, however fast the command prints.
 * X2: No input is sent while output is paused: the server would read it before the message that continues the output.
 */
export function connectExec(options: ExecConnectionOptions): ExecConnection {
  const { url, size, print, onState, createSocket = (...args) => new WebSocket(...args) } = options;
  const socket = createSocket(url, EXEC_PROTOCOL);
  socket.binaryType = 'arraybuffer';
  const waiting: Uint8Array<ArrayBuffer>[] = [];
  let pendingBytes = 0;
  let isPaused = false;
  let isOpen = false;
  let isOver = false;
  const say = (message: ExecClientMessage) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const end = (state: ExecState) => {
    if (isOver) return;
    isOver = true;
    onState(state);
  };
  const shown = (bytes: number) => {
    pendingBytes -= bytes;
    if (!isPaused || pendingBytes > PENDING_BYTES.least) return;
    isPaused = false;
    say({ type: 'resume' });
    for (const input of waiting.splice(0)) send(input);
  };
  const take = (output: Uint8Array) => {
    pendingBytes += output.length;
    if (!isPaused && pendingBytes > PENDING_BYTES.most) {
      isPaused = true;
      say({ type: 'pause' });
    }
    print(output, () => shown(output.length));
  };
  const send = (input: Uint8Array<ArrayBuffer>) => {
    if (isPaused) return void waiting.push(input);
    if (socket.readyState !== WebSocket.OPEN) return;
    for (let at = 0; at < input.length; at += MESSAGE_BYTES) socket.send(input.subarray(at, at + MESSAGE_BYTES));
  };
  socket.onopen = () => {
    isOpen = true;
    say({ type: 'start', command: [], terminal: { ...size, type: 'xterm-256color' } });
  };
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (isOver) return;
    // The first byte names the stream, of which a terminal has one.
    if (typeof data !== 'string') return take(new Uint8Array(data, 1));
    const message = JSON.parse(data) as ExecServerMessage;
    if (message.type === 'started') onState({ phase: 'running', instance: message.instance });
    else if (message.type === 'exit') end({ phase: 'ended', exitCode: message.exit_code, signal: message.signal });
    else end({ phase: 'failed', message: message.message, wasOpen: true });
  };
  socket.onclose = () => end({ phase: 'failed', wasOpen: isOpen });
  onState({ phase: 'connecting' });
  return {
    send,
    resize: ({ columns, rows }) => say({ type: 'resize', columns, rows }),
    close() {
      isOver = true;
      socket.close();
    },
  };
}
