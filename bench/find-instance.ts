import { readFileSync, readlinkSync } from 'node:fs';
import { findProcesses } from '../tests/harness/processes.ts';

/** An IPv4 address and a port of TCP. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The processes of a service's instances, and where one of them listens. */
export interface FoundInstance {
  readonly pids: readonly number[];
  readonly address: Address;
}

/** Finds what runs for the service `name` by its environment. @throws Error when nothing does. Needs /proc. */
export function findInstance(name: string): FoundInstance {
  const pids = findProcesses(`K_SERVICE=${name}`).map((one) => one.pid);
  for (const pid of pids) {
    const port = /(?:^|\0)PORT=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, 'latin1'))?.[1];
    if (port !== undefined) return { pids, address: { host: hostOf(pid), port: Number(port) } };
  }
  throw new Error(`no instance of ${name} runs`);
}

/** Each program has a network of its own where the machine allows it, and otherwise shares that of the machine. */
function hostOf(pid: number): string {
  if (readlinkSync(`/proc/${pid}/ns/net`) === readlinkSync('/proc/self/ns/net')) return '127.0.0.1';
  const table = readFileSync(`/proc/${pid}/net/fib_trie`, 'utf8');
  const addresses = [...table.matchAll(/\|-- (\S+)\n\s+\/32 host LOCAL/g)].map(([, address]) => address as string);
  const own = addresses.find((address) => !address.startsWith('127.'));
  if (own === undefined) throw new Error(`process ${pid} has no address`);
  return own;
}
