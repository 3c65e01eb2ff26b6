/** A TCP socket that listens. */
export interface ListeningSocket {
  readonly inode: string;
  readonly port: number;
  /** IPv4 in dots; IPv6 as the 32 digits that the kernel writes. */
  readonly address: string;
  /** Only the machine, or the network namespace, that it is in can connect to it. */
  readonly isLoopback: boolean;
}

/** `TCP_LISTEN` of the kernel. */
const LISTENING = '0A';
/** `::1`, and the beginning of 127.0.0.0/8 mapped into IPv6; in words of 32 bits, each as x86 and ARM store it. */
const LOOPBACK = /^(0{24}01000000|0{16}F{4}0{4}[0-9A-F]{6}7F)$/;

/** The listening sockets of `/proc/net/tcp` or `tcp6`. Source: proc_pid_net(5). */
export function parseListeners(table: string): ListeningSocket[] {
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [hex = '', portHex = ''] = fields[1]?.split(':') ?? [];
    const port = Number.parseInt(portHex, 16);
    if (fields[3] !== LISTENING || fields[9] === undefined || !(port > 0)) return [];
    const address = hex.length === 8 ? formatAddress(hex) : hex;
    return [{ inode: fields[9], port, address, isLoopback: address.startsWith('127.') || LOOPBACK.test(hex) }];
  });
}

/** The kernel writes the four bytes as one number of a little-endian machine. */
function formatAddress(hex: string): string {
  return (hex.match(/../g) ?? [])
    .toReversed()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}
