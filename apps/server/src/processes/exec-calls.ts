import type { InstanceId } from '@berth/kit';
import type {
  ExecExit,
  ExecProcess,
  ExecSignal,
  ExecSpec,
  InstanceConnection,
  OutputStream,
  Owner,
  Runtime,
  TerminalSize,
} from '@berth/runtime';
import type { CallContext, Calls } from './calls.ts';

/** The calls of commands that run in another process. */
export type ExecHandlers = ReturnType<typeof execHandlers>;

interface RemoteExec {
  /** Chosen by the caller; names the command in the calls of {@link ExecStep}. */
  readonly id: string;
  readonly owner: Owner;
  readonly instanceId: InstanceId;
  readonly spec: Omit<ExecSpec, 'output'>;
}

/** A connection to a port of an instance; see {@link RemoteExec}. */
interface RemoteConnection extends Pick<RemoteExec, 'id' | 'owner' | 'instanceId'> {
  readonly port: number;
}

/** A client's step on its command or connection. */
interface ExecStep {
  readonly id: string;
  readonly input?: Uint8Array;
  readonly isEnd?: boolean;
  readonly size?: TerminalSize;
  readonly signal?: ExecSignal;
  readonly isKill?: boolean;
}

/** An event of a command or connection: its start, output, or the end of a connection's output. */
type ExecEvent =
  | { readonly isStarted: true }
  | { readonly isEnded: true }
  | { readonly stream: OutputStream; readonly chunk: Uint8Array };

/** Creates handlers that run the commands of {@link createRemoteExec} in this process's runtime. A command ends with its caller. */
export function execHandlers(runtime: Pick<Runtime, 'exec' | 'connect'>) {
  const running = new Map<string, ExecProcess>();
  const connections = new Map<string, InstanceConnection>();
  return {
    async exec({ id, owner, instanceId, spec }: RemoteExec, { signal, emit }: CallContext): Promise<ExecExit> {
      const output: ExecSpec['output'] = (stream, chunk) => emit({ stream, chunk } satisfies ExecEvent);
      const command = await runtime.exec(owner, instanceId, { ...spec, output });
      running.set(id, command);
      const abort = () => void command.kill();
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      try {
        await emit({ isStarted: true } satisfies ExecEvent);
        return await command.exited;
      } finally {
        running.delete(id);
      }
    },
    async connect({ id, owner, instanceId, port }: RemoteConnection, { signal, emit }: CallContext): Promise<void> {
      // The caller takes events one after another, and output only when it knows of the start.
      const started = Promise.withResolvers<void>();
      const connection = await runtime.connect(owner, instanceId, {
        port,
        async output(chunk) {
          await started.promise;
          await emit({ stream: 'stdout', chunk } satisfies ExecEvent);
        },
        onEnd: () => void started.promise.then(() => emit({ isEnded: true } satisfies ExecEvent)),
      });
      connections.set(id, connection);
      signal.addEventListener('abort', connection.destroy, { once: true });
      if (signal.aborted) connection.destroy();
      try {
        await emit({ isStarted: true } satisfies ExecEvent);
        started.resolve();
        await connection.closed;
      } finally {
        connections.delete(id);
      }
    },
    async connectionStep({ id, input, isEnd, isKill }: ExecStep): Promise<void> {
      const connection = connections.get(id);
      if (input) await connection?.write(input);
      if (isEnd) connection?.end();
      if (isKill) connection?.destroy();
    },
    async execStep({ id, input, isEnd, size, signal, isKill }: ExecStep): Promise<void> {
      const command = running.get(id);
      if (input) await command?.write(input);
      if (isEnd) command?.endInput();
      if (size) command?.resize(size);
      if (signal) command?.signal(signal);
      if (isKill) await command?.kill();
    },
  };
}

/** Creates the `exec` of a runtime in the main process. Its commands are killed when this process ends. */
export function createRemoteExec(calls: Calls<ExecHandlers>): Runtime['exec'] {
  return async (owner, instanceId, { output, ...spec }) => {
    const id = crypto.randomUUID();
    const started = Promise.withResolvers<void>();
    const onEvent = (value: unknown): void | Promise<void> => {
      const event = value as ExecEvent;
      if ('isStarted' in event) started.resolve();
      else if ('chunk' in event) return output(event.stream, event.chunk);
    };
    const ended = calls.call('exec', { id, owner, instanceId, spec }, { onEvent });
    ended.catch(started.reject);
    await started.promise;
    const exited = ended.catch((): ExecExit => ({ exitCode: null, signal: 'SIGKILL' }));
    const step = (what: Omit<ExecStep, 'id'>): Promise<void> => calls.call('execStep', { id, ...what }).catch(() => {});
    return {
      exited,
      write: (input) => step({ input }),
      endInput: () => void step({ isEnd: true }),
      resize: ({ columns, rows }) => void step({ size: { columns, rows } }),
      signal: (signal) => void step({ signal }),
      async kill() {
        await step({ isKill: true });
        return exited;
      },
    };
  };
}

/** Creates the `connect` of a runtime in the main process. Its connections are broken when this process ends. */
export function createRemoteConnect(calls: Calls<ExecHandlers>): Runtime['connect'] {
  return async (owner, instanceId, { port, output, onEnd }) => {
    const id = crypto.randomUUID();
    const started = Promise.withResolvers<void>();
    const onEvent = (value: unknown): void | Promise<void> => {
      const event = value as ExecEvent;
      if ('isStarted' in event) started.resolve();
      else if ('isEnded' in event) onEnd();
      else return output(event.chunk);
    };
    const ended = calls.call('connect', { id, owner, instanceId, port }, { onEvent });
    ended.catch(started.reject);
    await started.promise;
    const step = (what: Omit<ExecStep, 'id'>): Promise<void> =>
      calls.call('connectionStep', { id, ...what }).catch(() => {});
    return {
      closed: ended.catch(() => {}),
      write: (input) => step({ input }),
      end: () => void step({ isEnd: true }),
      destroy: () => void step({ isKill: true }),
    };
  };
}
