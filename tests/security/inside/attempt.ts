/** Where an attempt is made from. */
export type Place = 'service' | 'build';

/** What the hostile program is told: more than a tenant could find out, so that no secret path or id protects the platform. */
export interface Facts {
  /** Every secret of the stage begins with this; what follows is not told. */
  readonly secretPrefix: string;
  /** Paths on the host of files that hold a secret, by what they are. */
  readonly files: Readonly<Record<string, string>>;
  /** Where attempts try to leave a file behind. */
  readonly marks: Readonly<Record<string, string>>;
  /** Process ids on the host. */
  readonly pids: { readonly server: number; readonly victim: number; readonly decoy: number };
  readonly victim: {
    readonly port: number;
    readonly addresses: readonly string[];
    /** Ports of the host that lead to it. */
    readonly forwardedPorts: readonly number[];
  };
  readonly host: {
    readonly addresses: readonly string[];
    /** An address that the host gets after the hostile service has started. */
    readonly laterAddress: string;
    /** An address of its loopback interface that is not in 127.0.0.0/8. */
    readonly aliasAddress: string;
    readonly tcpPort: number;
    readonly udpPort: number;
    /** Listens on the loopback addresses only. */
    readonly loopbackPort: number;
    readonly adminPort: number;
    readonly unixSockets: { readonly open: readonly string[]; readonly private: readonly string[] };
    readonly abstractSocket: string;
  };
  /** Addresses of metadata services of clouds; the host's listener answers there. */
  readonly metadata: readonly string[];
  /** Another machine, reached by way of the host, at an address in a range that the operator has blocked and at one that is not. */
  readonly elsewhere: { readonly blocked: string; readonly allowed: string; readonly port: number };
  readonly sharedMemoryKey: number;
}

/** Answers anything that JSON can hold. */
type Act = (facts: Facts) => Promise<unknown>;

/**
 * One attempt of a hostile program. It got through when its answer holds a secret or {@link gotThrough}, or when the
 * file of `leaves` holds the text.
 */
export interface InsideAttempt {
  /** `area.what`. */
  readonly id: string;
  /** Completes "The program …". */
  readonly tries: string;
  readonly act: Act;
  readonly from?: readonly Place[];
  /** A name in {@link Facts.marks}: the attempt got through when the file holds `text`. */
  readonly leaves?: { readonly mark: string; readonly text: string };
  /**
   * Proves that the probe works. By default the same attempt is made as root on the host, where it must get through.
   * `namespaced`: the same in mount, network and UTS namespaces of its own, which it may spoil. `{ host }`: another act as root on
   * the host. A function: another act inside the sandbox, on something that is allowed. Each must get through.
   */
  readonly control?: 'host' | 'namespaced' | { readonly host: Act } | Act;
  /** Uses ports, signals or much time: no other attempt is made meanwhile. */
  readonly isAlone?: boolean;
  /**
   * Only asks someone over sockets of its own, and waits for an answer that mostly never comes: such attempts are made side by side, and
   * so are their controls in the sandbox.
   */
  readonly isAsking?: boolean;
  /** Meanwhile the victim is restarted and sent a request with a secret cookie. It has to answer. */
  readonly needsVictimRestart?: boolean;
}

/** What evidence that is no secret begins with. */
export const GOT_THROUGH = 'GOT-THROUGH: ';

/** Evidence that is no secret: what could be done, in words. */
export function gotThrough(what: string): string {
  return `${GOT_THROUGH}${what}`;
}

/** What each line of a batch begins with; JSON `{ id, answer }` follows. */
export const BATCH_LINE = 'attempt: ';
