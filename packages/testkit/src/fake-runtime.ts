import { CONTAINER_MOUNTS, createError } from '@berth/contract';
import type { InstanceId } from '@berth/kit';
import type {
  ExecExit,
  Instance,
  InstanceExit,
  InstanceSpec,
  InstanceStats,
  OutputStream,
  Runtime,
} from '@berth/runtime';

/** The program of a fake instance: where it listens, and how it stops. */
export interface FakeProgram {
  readonly host?: string;
  /** The port in the instance's address, whether or not anything listens there. */
  readonly port: number;
  readonly listeningPorts?: () => readonly number[];
  /** Default: nothing used. */
  readonly stats?: () => InstanceStats;
  /** Runs on `stop`; the instance has exited when it resolves. */
  readonly onStop?: () => void | Promise<void>;
}

/** A fake instance, and what a test can do to it. */
export interface FakeInstance extends Instance {
  readonly spec: InstanceSpec;
  /** Number of calls of `stop`. */
  readonly stops: number;
  readonly hasExited: boolean;
  readonly isSuspended: boolean;
  /** Ends the instance as if it exited by itself. */
  exit(exit?: Partial<InstanceExit>): void;
  /** Tells that the machine will end the instance soon. */
  evict(): void;
  print(stream: OutputStream, text: string): void | Promise<void>;
}

export interface FakeRuntimeOptions {
  /** Starts a program; `start` rejects with what it throws. Default: a program that does not listen. */
  readonly run?: (instance: Pick<FakeInstance, 'spec' | 'exit'>) => FakeProgram | Promise<FakeProgram>;
  readonly canSuspend?: boolean;
  /** Called in the tick in which an instance is told to stop. */
  readonly onStop?: (instance: FakeInstance) => void;
}

/** An in-memory runtime that keeps all instances it started. */
export interface FakeRuntime extends Runtime {
  /** All instances ever started, oldest first. */
  readonly instances: readonly FakeInstance[];
  /** Instances that have not exited. */
  readonly running: readonly FakeInstance[];
}

export function createFakeRuntime({
  run = () => ({ port: 1 }),
  canSuspend = false,
  onStop,
}: FakeRuntimeOptions = {}): FakeRuntime {
  const instances: FakeInstance[] = [];

  const start = async (spec: InstanceSpec): Promise<FakeInstance> => {
    const exited = Promise.withResolvers<InstanceExit>();
    const evicted = Promise.withResolvers<void>();
    let hasExited = false;
    let isSuspended = false;
    let stops = 0;
    const exit = (how: Partial<InstanceExit> = {}) => {
      hasExited = true;
      const exitCode = how.signal ? null : 0;
      exited.resolve({ exitCode, signal: null, isOutOfMemory: false, isRequested: stops > 0, ...how });
    };
    const program = await run({ spec, exit });
    const instance: FakeInstance = {
      spec,
      instanceId: spec.instanceId as InstanceId,
      address: { host: program.host ?? '127.0.0.1', port: program.port },
      port: program.port,
      exited: exited.promise,
      get stops() {
        return stops;
      },
      get hasExited() {
        return hasExited;
      },
      get isSuspended() {
        return isSuspended;
      },
      exit,
      evicted: evicted.promise,
      evict: evicted.resolve,
      print: (stream, text) => spec.output(stream, new TextEncoder().encode(text)),
      async stop() {
        stops++;
        if (stops === 1) {
          onStop?.(instance);
          await program.onStop?.();
          exit({ exitCode: null, signal: 'SIGTERM' });
        }
        return exited.promise;
      },
      stats: async () => program.stats?.() ?? { cpuMs: 0, memoryBytes: 0 },
      listeningPorts: async () => program.listeningPorts?.() ?? [],
      ...(canSuspend && {
        async suspend() {
          isSuspended = true;
        },
        async resume() {
          isSuspended = false;
        },
      }),
    };
    instances.push(instance);
    return instance;
  };

  /** A command that writes its input back, and exits with 0 at its end. */
  const exec: Runtime['exec'] = async (owner, instanceId, { command, output }) => {
    const { account, deployment } = owner;
    const isWanted = ({ spec, hasExited }: FakeInstance) =>
      spec.instanceId === instanceId &&
      !hasExited &&
      spec.owner.account === account &&
      spec.owner.deployment === deployment;
    const instance = instances.find(isWanted);
    if (!instance) throw createError('not_found', `No instance ${instanceId} of "${deployment}" runs here.`);
    const exited = Promise.withResolvers<ExecExit>();
    void instance.exited.then(() => exited.resolve({ exitCode: null, signal: 'SIGKILL' }));
    await output('stdout', new TextEncoder().encode(JSON.stringify(command)));
    return {
      exited: exited.promise,
      write: async (chunk) => output('stdout', chunk),
      endInput: () => exited.resolve({ exitCode: 0, signal: null }),
      resize: ({ columns, rows }) => void output('stdout', new TextEncoder().encode(`${columns}x${rows}`)),
      signal: (signal) => exited.resolve({ exitCode: null, signal }),
      kill() {
        exited.resolve({ exitCode: null, signal: 'SIGKILL' });
        return exited.promise;
      },
    };
  };

  return {
    name: 'fake',
    canSuspend,
    mountPolicy: CONTAINER_MOUNTS,
    start: (spec, options) => {
      options?.signal?.throwIfAborted();
      return start(spec);
    },
    exec,
    connect: () => Promise.reject(createError('not_available', 'The fake runtime has no ports.')),
    capabilities: async () => [],
    forget: async () => {},
    async close() {
      await Promise.all(instances.filter(({ hasExited }) => !hasExited).map((instance) => instance.stop()));
    },
    instances,
    get running() {
      return instances.filter(({ hasExited }) => !hasExited);
    },
  };
}
