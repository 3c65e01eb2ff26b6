import { PassThrough, type Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createError } from '@berth/contract';
import { Exec, type V1Status } from '@kubernetes/client-node';
import type { Kube } from './kube.ts';

/** Options of {@link execInPod}. */
export interface ExecOptions {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Passed as it is; no shell reads it. */
  readonly command: readonly string[];
  /** Standard input. It is destroyed at the end. */
  readonly input?: Readable;
  /** Called with each piece of standard output and standard error, one after another. An error that it throws ends the call. */
  onOutput?(chunk: Buffer): void | Promise<void>;
  readonly signal: AbortSignal;
}

type Socket = Awaited<ReturnType<Exec['exec']>>;

/** Bytes of the input on their way to the API server. */
const WINDOW_BYTES = 4 * 2 ** 20;

/**
 * Runs a command in a container. Resolves with its exit code when `onOutput` has taken all of its output. After an error the command may still run.
 * @throws BerthError `unavailable` when the connection was lost; the reason of the signal; the error of `onOutput`
 */
export async function execInPod({ config }: Pick<Kube, 'config'>, options: ExecOptions): Promise<number> {
  const { namespace, pod, container, command, input, onOutput, signal } = options;
  signal.throwIfAborted();
  const { promise: ended, resolve, reject } = Promise.withResolvers<V1Status>();
  // It may reject before it is awaited.
  ended.catch(() => {});
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let taken = Promise.resolve();
  const take = (chunk: Buffer) => {
    taken = taken.then(() => onOutput?.(chunk));
    taken.catch(reject);
  };
  const output = () =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        take(chunk);
        done();
      },
    });
  const stdin = input && new PassThrough();
  const connecting = new Exec(config)
    .exec(namespace, pod, container, [...command], output(), output(), stdin ?? null, false, resolve)
    .catch((error: unknown) => {
      throw createError('unavailable', `The Pod ${pod} can't be reached.`, { cause: error });
    });
  try {
    const socket = await Promise.race([connecting, ended.then(() => connecting)]);
    socket.onclose = () => reject(createError('unavailable', `The connection to the Pod ${pod} was lost.`));
    if (input && stdin) await Promise.race([send(input, stdin, socket), ended]);
    const status = await ended;
    await taken;
    return exitCodeOf(status);
  } finally {
    signal.removeEventListener('abort', abort);
    input?.destroy();
    connecting.then(
      (socket) => socket.close(),
      () => {},
    );
  }
}

async function send(input: Readable, stdin: PassThrough, socket: Socket): Promise<void> {
  for await (const chunk of input) {
    stdin.write(chunk);
    // The library sends what it reads, however much is on its way.
    while (socket.bufferedAmount > WINDOW_BYTES && socket.readyState === socket.OPEN) await sleep(5);
    if (socket.readyState !== socket.OPEN) return;
  }
  stdin.end();
}

/**
 * Returns the exit code of a command, or `otherwise` when it could not be run.
 * @throws BerthError `unavailable` without `otherwise`
 */
export function exitCodeOf({ status, message, reason, details }: V1Status, otherwise?: number): number {
  if (status === 'Success') return 0;
  const code = details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message;
  if (reason === 'NonZeroExitCode' && code !== undefined) return Number(code);
  if (otherwise !== undefined) return otherwise;
  throw createError('unavailable', `The command could not be run: ${message ?? reason ?? 'no reason was given'}.`);
}
