/** The network of one program. */
export interface ProgramNetwork {
  /** The address at which the gateway reaches the program. */
  readonly address: { readonly host: string; readonly port: number };
  /** The port for the program to listen on. */
  readonly port: number;
  /** A program with arguments that runs the rest of the command in the network. It runs outside of any sandbox. */
  readonly enter: readonly string[];
  /** Name in `/etc` → the file that replaces the machine's, where that is wrong inside the network. */
  readonly etcFiles: Readonly<Record<string, string>>;
  /** Resolves with true while nothing else has taken the address. */
  isFresh(): Promise<boolean>;
  /** Frees the network, after the program has ended. */
  release(): Promise<void>;
}

/** Provides the networks of programs. */
export interface Networks {
  /** Each program has its own network, in which it can reach the internet but no other program. */
  readonly isIsolated: boolean;
  /**
   * Each program has its own address, so that only the program can accept a connection there. Otherwise another program or a forwarder
   * may accept it.
   */
  readonly hasOwnAddresses: boolean;
  /** Why the networks are not isolated, for people. */
  readonly problem?: string;
  /**
   * Returns a network for a program.
   * @param port The service's port, used where it has its own network. Absent for a command that doesn't listen.
   * @throws BerthError `out_of_capacity` when all networks are in use.
   */
  take(port?: number): Promise<ProgramNetwork>;
  /** Removes all networks. Idempotent. */
  close(): Promise<void>;
}
