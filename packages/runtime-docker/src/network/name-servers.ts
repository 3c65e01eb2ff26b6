import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';

/** The second file lists the servers behind systemd's resolver. Engines read it when the first lists only that resolver. */
const FILES = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];

/** Returns the addresses of the machine's name servers. Source: resolv.conf(5). */
export function findNameServers(files: readonly string[] = FILES): string[] {
  const texts = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address),
  );
  return [...new Set(named)].filter((address) => isIP(address) !== 0);
}
