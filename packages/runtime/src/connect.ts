/** A TCP connection to make to a program of an instance. */
export interface ConnectSpec {
  /** A port that a process of the instance listens on. */
  readonly port: number;
  /** Called with what the program sends. A pending promise slows it down. */
  output(chunk: Uint8Array): void | Promise<void>;
  /** Called when the program sends no more, and all of it was taken. It may still receive. */
  onEnd(): void;
}

/** A TCP connection to a program of an instance. It ends with the instance at the latest. */
export interface InstanceConnection {
  /** Resolves when both sides have ended, or the connection is broken. Never rejects. */
  readonly closed: Promise<void>;
  /** Sends. Resolves when there is room for more; never rejects. */
  write(chunk: Uint8Array): Promise<void>;
  /** Tells the program that no more is sent. It may still send. */
  end(): void;
  /** Breaks the connection. */
  destroy(): void;
}
