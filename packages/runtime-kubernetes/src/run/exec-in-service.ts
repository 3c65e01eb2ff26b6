import querystring from 'node:querystring';
import { createError } from '@berth/contract';
import { describeError, type Logger } from '@berth/kit';
import { type ExecExit, type ExecProcess, type ExecSpec, SHELL_COMMAND, type TerminalSize } from '@berth/runtime';
import { createDelivery, SESSION_MARK, signalMarked, signalOfExitCode } from '@berth/runtime/drivers';
import { Exec, type V1Status } from '@kubernetes/client-node';
import { execInPod, exitCodeOf } from '../api/exec.ts';
import type { Kube } from '../api/kube.ts';
import { CONTAINER } from '../pod/names.ts';

type Socket = Awaited<ReturnType<Exec['handler']['connect']>> & { pause?(): void; resume?(): void };

/** Channels of the connection. Source: Kubernetes, `v5.channel.k8s.io`. */
const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const;

/** Bytes of input on their way to the API server, above which a write waits. */
const WINDOW_BYTES = 2 ** 20;
const WINDOW_POLL_MS = 5;
/** Bytes of output that wait for the reader, above which the connection isn't read. */
const OUTPUT_BYTES = 2 ** 18;
/** Time in which a killed command ends; then the connection is given up, at which the node ends the command. */
const KILL_GIVE_UP_MS = 5_000;

/** As {@link Runtime.exec}, for the Pod of a service: everything that its container may do or not applies to the command. */
export async function execInService(
  kube: Pick<Kube, 'config'>,
  place: { readonly namespace: string; readonly pod: string },
  { command, terminal, output }: ExecSpec,
  logger: Logger,
): Promise<ExecProcess> {
  const mark = crypto.randomUUID();
  const variables = [`${SESSION_MARK}=${mark}`, ...(terminal ? [`TERM=${terminal.type}`] : [])];
  const query = querystring.stringify({
    ...{ stdin: true, stdout: true, stderr: !terminal, tty: terminal !== undefined, container: CONTAINER },
    command: ['env', ...variables, ...(command.length === 0 ? SHELL_COMMAND : command)],
  });
  const delivery = createDelivery('output of a command was lost', logger);
  const status = Promise.withResolvers<V1Status | undefined>();
  let delivered: Promise<void> = Promise.resolve();
  let waiting = 0;
  let socket: Socket | undefined;
  const take = (stream: 'stdout' | 'stderr', chunk: Buffer): void => {
    waiting += chunk.length;
    if (waiting > OUTPUT_BYTES) socket?.pause?.();
    delivered = delivered
      .then(() => delivery.take(output, stream, chunk))
      .then(() => {
        waiting -= chunk.length;
        if (waiting <= OUTPUT_BYTES) socket?.resume?.();
      });
  };
  const opened: Socket = await new Exec(kube.config).handler
    .connect(`/api/v1/namespaces/${place.namespace}/pods/${place.pod}/exec?${query}`, null, (channel, chunk) => {
      if (channel === CHANNELS.stdout) take('stdout', chunk);
      else if (channel === CHANNELS.stderr) take('stderr', chunk);
      else if (channel === CHANNELS.status && chunk.length > 0) {
        status.resolve(JSON.parse(chunk.toString()) as V1Status);
        return false;
      }
      return true;
    })
    .catch((cause: unknown) => {
      throw createError('unavailable', `The Pod ${place.pod} can't be reached: ${describeError(cause)}`, { cause });
    });
  socket = opened;
  opened.onclose = () => status.resolve(undefined);
  const exited = status.promise.then(async (ended): Promise<ExecExit> => {
    await delivered;
    return toExit(ended);
  });
  const send = (channel: number, data: Uint8Array): void => {
    if (opened.readyState === opened.OPEN) opened.send(Buffer.concat([Buffer.from([channel]), data]));
  };
  const resize = ({ columns, rows }: TerminalSize): void => {
    if (terminal) send(CHANNELS.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows })));
  };
  const signal = (name: Parameters<typeof signalMarked>[1]): Promise<unknown> =>
    execInPod(kube, {
      ...place,
      container: CONTAINER,
      command: signalMarked(mark, name),
      signal: AbortSignal.timeout(KILL_GIVE_UP_MS),
    }).catch(() => {});
  if (terminal) resize(terminal);
  return {
    exited,
    async write(chunk) {
      send(CHANNELS.stdin, chunk);
      while (opened.bufferedAmount > WINDOW_BYTES && opened.readyState === opened.OPEN) {
        await new Promise((resolve) => setTimeout(resolve, WINDOW_POLL_MS));
      }
    },
    endInput() {
      if (terminal) send(CHANNELS.stdin, Buffer.from([4]));
      else send(CHANNELS.close, Buffer.from([CHANNELS.stdin]));
    },
    resize,
    signal: (name) => void signal(name),
    async kill() {
      await signal('SIGKILL');
      const over = setTimeout(() => opened.close(), KILL_GIVE_UP_MS);
      return exited.finally(() => clearTimeout(over));
    },
  };
}

/** Returns how a command ended; a lost connection counts as killed. */
function toExit(status: V1Status | undefined): ExecExit {
  if (!status) return { exitCode: null, signal: 'SIGKILL' };
  const exitCode = exitCodeOf(status, 126);
  const signal = signalOfExitCode(exitCode);
  return signal === undefined ? { exitCode, signal: null } : { exitCode: null, signal };
}
