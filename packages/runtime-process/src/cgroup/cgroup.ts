/** The limits of one control group. */
export interface CgroupLimits {
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  /** Maximum number of processes and threads. */
  readonly processes: number;
  /** Gets less CPU than services when CPU is scarce. Set for builds. */
  readonly isLowPriority: boolean;
}

/** The controllers that are available, each independent of the others. */
export interface CgroupFeatures {
  readonly memory: boolean;
  readonly cpu: boolean;
  readonly processes: boolean;
  readonly freezer: boolean;
}

/** The control group of one program and its descendants. */
export interface Cgroup {
  /** The group's folder, or one folder for each controller. */
  readonly folders: readonly string[];
  /**
   * Moves a process into the group. Its later children start in the group; existing children stay where they are. Takes up to 20 ms on
   * a busy machine, because the kernel waits for all cores.
   */
  add(pid: number): Promise<void>;
  pids(): number[];
  /** Sends SIGKILL to all processes and prevents new ones. Call it again until {@link pids} is empty. */
  kill(): void;
  /** Returns the number of processes that the memory limit has killed so far. */
  oomKills(): number;
  /** Returns the CPU time used so far, or undefined where the kernel doesn't count it. */
  cpuMs(): number | undefined;
  /** Returns the memory in use without inactive file cache, or undefined where the kernel doesn't count it. */
  memoryBytes(): number | undefined;
  setFrozen(isFrozen: boolean): void;
  /** Makes a group inside this one, whose processes share this one's limits. Its name must be unique in here. */
  createChild(name: string): Cgroup;
  /** Removes the group, which must be empty. A group that stays busy is left to the cleanup of the next server. */
  remove(): Promise<void>;
}

/** The control groups of one server. */
export interface Cgroups {
  readonly features: CgroupFeatures;
  /** The parent folder of the groups, or one for each controller. */
  readonly folders: readonly string[];
  /** Text for people, e.g. `control groups v1 (memory, cpu)`. */
  readonly description: string;
  /**
   * Prepares the kernel for a move that is about to happen. The first move after a pause waits some 10 ms for the kernel, later ones don't
   * (measured on 6.18: 11 ms and 0.3 ms), so the wait can overlap with spawning the program.
   */
  wake(): void;
  /** Creates a group under a unique name. Returns undefined on a machine without control groups. */
  create(name: string, limits: CgroupLimits): Cgroup | undefined;
  /** Removes the parent folders. */
  close(): Promise<void>;
}

const NO_FEATURES: CgroupFeatures = { memory: false, cpu: false, processes: false, freezer: false };

/** Returns the implementation for machines on which this server can't make control groups. */
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
