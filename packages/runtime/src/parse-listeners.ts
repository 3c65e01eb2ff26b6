/** A listening TCP socket. */
export interface ListeningSocket {
  readonly inode: string;
  readonly port: number;
  /** IPv4 in dotted notation; IPv6 as the 32 hexadecimal digits of the kernel. */
  readonly address: string;
  /** Only programs in the same network namespace can connect. */
  readonly isLoopback: boolean;
}

/** The kernel's `TCP_LISTEN`. */
const LISTENING = '0A';
/** `::1`, and 127.0.0.0/8 mapped into IPv6, in 32-bit words in the byte order of x86 and ARM. */
const LOOPBACK = /^(0{24}01000000|0{16}F{4}0{4}[0-9A-F]{6}7F)$/;

/** Returns the listening sockets in the text of `/proc/net/tcp` or `tcp6`. Source: proc_pid_net(5). */
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

/** Returns the distinct ports of these sockets, in ascending order. */
export function portsOf(listeners: readonly ListeningSocket[]): number[] {
  return [...new Set(listeners.map(({ port }) => port))].sort((a, b) => a - b);
}

/** Returns the ports of these sockets that can be reached through the loopback only. */
export function loopbackPortsOf(listeners: readonly ListeningSocket[]): number[] {
  const open = new Set(portsOf(listeners.filter(({ isLoopback }) => !isLoopback)));
  return portsOf(listeners).filter((port) => !open.has(port));
}

/** Formats an IPv4 address, which the kernel writes as one little-endian number. */
function formatAddress(hex: string): string {
  return (hex.match(/../g) ?? [])
    .toReversed()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}
