import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The `/etc/passwd` that a sandbox with this user shows, made when first asked for. Without an entry of its own a
 * program that asks who it is gets an error (`os.userInfo()` of Node throws).
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

/** What every service is called to itself. */
export const USER_NAME = 'app';
