/** The network that one program runs in. */
export interface ProgramNetwork {
  /** Where the gateway reaches the program. */
  readonly address: { readonly host: string; readonly port: number };
  /** The port that the program is told to listen on. */
  readonly port: number;
  /** A program and its arguments that put what follows them into the network; run outside of any sandbox. */
  readonly enter: readonly string[];
  /** Name in `/etc` → the file that the program is shown there, where the machine's own says what does not hold in the network. */
  readonly etcFiles: Readonly<Record<string, string>>;
  /** Nothing else has taken the address meanwhile. */
  isFresh(): Promise<boolean>;
  /** Gives it back, when the program has ended. */
  release(): Promise<void>;
}

/** Where programs get their networks from. */
export interface Networks {
  /** Each program has a network of its own, in which it reaches the internet and no other program. */
  readonly isIsolated: boolean;
  /**
   * A program's address is nobody else's, so that who accepts a connection there is the program. Otherwise another one may, or
   * whoever passes connections on.
   */
  readonly hasOwnAddresses: boolean;
  /** Why the networks are not isolated, for people. */
  readonly problem?: string;
  /**
   * @param port The one that a service listens on, where it has a network of its own. Absent for a command that serves nobody.
   * @throws BerthError `out_of_capacity` when all are in use.
   */
  take(port?: number): Promise<ProgramNetwork>;
  /** Idempotent. */
  close(): Promise<void>;
}
