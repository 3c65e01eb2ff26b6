export interface CgroupLimits {
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  /** Processes and threads. */
  readonly processes: number;
  /** Gives way to what is not: a build beside services. */
  readonly isLowPriority: boolean;
}

/** What a machine's control groups can do for us; each may be there alone. */
export interface CgroupFeatures {
  readonly memory: boolean;
  readonly cpu: boolean;
  readonly processes: boolean;
  readonly freezer: boolean;
}

/** The control group of one program and all that descends from it. */
export interface Cgroup {
  /** Where it is: one folder, or one for each controller. */
  readonly folders: readonly string[];
  /**
   * Moves a process in; its later children are born in. Processes it has already stay where they are. Takes up to 20 ms on
   * a busy machine, because the kernel waits for all its cores.
   */
  add(pid: number): Promise<void>;
  pids(): number[];
  /** SIGKILL to everything in it, and no new process from now on. Called again until {@link pids} is empty. */
  kill(): void;
  /** Processes that the memory limit has ended so far. */
  oomKills(): number;
  /** Undefined where nothing counts it. */
  cpuMs(): number | undefined;
  /** What the kernel would have to keep: without cached files that nobody has touched lately. */
  memoryBytes(): number | undefined;
  setFrozen(isFrozen: boolean): void;
  /** Gives it back once it is empty; a group that does not become empty is left for the next start to reap. */
  remove(): Promise<void>;
}

/** The control groups of one server. */
export interface Cgroups {
  readonly features: CgroupFeatures;
  /** That hold the groups: one, or one for each controller. */
  readonly folders: readonly string[];
  /** In words, for the capability page: `control groups v1`. */
  readonly description: string;
  /**
   * Says that a process will soon be moved. The first move after a rest waits some 10 ms for the kernel, those after it do
   * not (measured on 6.18: 11 ms and 0.3 ms): that wait can pass while a program is being spawned.
   */
  wake(): void;
  /** `name` is unique among those that exist. Undefined where this machine has none. */
  create(name: string, limits: CgroupLimits): Cgroup | undefined;
  /** Removes what holds the groups. */
  close(): Promise<void>;
}

const NO_FEATURES: CgroupFeatures = { memory: false, cpu: false, processes: false, freezer: false };

/** For a machine without control groups, or one that lets this server make none. */
export function createNoCgroups(): Cgroups {
  return {
    features: NO_FEATURES,
    folders: [],
    description: 'no control groups',
    wake: () => {},
    create: () => undefined,
    close: async () => {},
  };
}
