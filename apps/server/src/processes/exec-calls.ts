import type { InstanceId } from '@berth/kit';
import type {
  ExecExit,
  ExecProcess,
  ExecSignal,
  ExecSpec,
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

/** A client's step on its command. */
interface ExecStep {
  readonly id: string;
  readonly input?: Uint8Array;
  readonly isEnd?: boolean;
  readonly size?: TerminalSize;
  readonly signal?: ExecSignal;
  readonly isKill?: boolean;
}

/** An event of a command: its start, or output. */
type ExecEvent = { readonly isStarted: true } | { readonly stream: OutputStream; readonly chunk: Uint8Array };

/** Creates handlers that run the commands of {@link createRemoteExec} in this process's runtime. A command ends with its caller. */
export function execHandlers(runtime: Pick<Runtime, 'exec'>) {
  const running = new Map<string, ExecProcess>();
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
      else return output(event.stream, event.chunk);
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
