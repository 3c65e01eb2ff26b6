/** The network that one program runs in. */
export interface ProgramNetwork {
  /** Where the gateway reaches the program. */
  readonly address: { readonly host: string; readonly port: number };
  /** The port that the program is told to listen on. */
  readonly port: number;
  /** A program and its arguments that put what follows them into the network; run outside of any sandbox. */
  readonly enter: readonly string[];
  /** Connects the network that a sandbox made for itself; given the sandbox's first process. */
  readonly attach?: (pid: number) => Promise<void>;
  /** Shown to the program as its `/etc/resolv.conf`, where the machine's own leads nowhere. */
  readonly resolverFile?: string;
  /** Nothing else has taken the address meanwhile. */
  isFresh(): Promise<boolean>;
  /** Gives it back, when the program has ended. */
  release(): Promise<void>;
}

/** Where programs get their networks from. */
export interface Networks {
  /** Each program has a network of its own, in which it reaches the internet and no other program. */
  readonly isIsolated: boolean;
  /** Why not, for people. */
  readonly problem?: string;
  /**
   * @param port The one that a service listens on, where it has a network of its own. Absent for a command that serves nobody.
   * @throws BerthError `out_of_capacity` when all are in use.
   */
  take(port?: number): Promise<ProgramNetwork>;
  /** Idempotent. */
  close(): Promise<void>;
}
