import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';

/** The second names the servers that systemd's own resolver asks; engines read it when the first names only that one. */
const FILES = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];

/** The addresses of the machine's name servers. Source: resolv.conf(5). */
export function findNameServers(files: readonly string[] = FILES): string[] {
  const texts = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address),
  );
  return [...new Set(named)].filter((address) => isIP(address) !== 0);
}
