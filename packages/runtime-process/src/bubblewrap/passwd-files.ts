import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns a function that gives the path of the `/etc/passwd` for sandboxes of a user, and writes the file on first use. Without an
 * entry of its own, a program can't look up its user (`os.userInfo()` of Node throws).
 */
export function createPasswdFiles(folder: string): (uid: number | undefined) => string {
  return (uid = process.getuid?.() ?? 0) => {
    const path = join(folder, `passwd-${uid}`);
    if (existsSync(path)) return path;
    const entries = [
      'root:x:0:0:root:/root:/usr/sbin/nologin',
      'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
      `${USER_NAME}:x:${uid}:${uid}:service:/tmp:/bin/sh`,
    ];
    writeFileSync(path, `${entries.join('\n')}\n`);
    chmodSync(path, 0o644);
    return path;
  };
}

/** The user name that every service sees as its own. */
export const USER_NAME = 'app';
