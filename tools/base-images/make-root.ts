import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Engine } from '@berth/runtime-docker';
import { drain } from './drain.ts';

/** Options of {@link makeRoot}. */
export interface RootOptions {
  /** Debian's release, e.g. `bookworm`. */
  readonly suite: string;
  readonly mirror: string;
  readonly image: string;
}

/** The system's certificate bundle. Behind a proxy that intercepts TLS, downloads need its certificate. */
const BUNDLE = 'etc/ssl/certs/ca-certificates.crt';

/** Creates an image of a minimal Debian with debootstrap. Requires root. */
export async function makeRoot(docker: Engine['docker'], { suite, mirror, image }: RootOptions): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-root-'));
  try {
    const argv = ['--variant=minbase', '--include=ca-certificates', suite, folder, mirror];
    const { status, error } = spawnSync('debootstrap', argv, { stdio: ['ignore', 'ignore', 'inherit'] });
    if (error) throw new Error(`debootstrap cannot be started (${error.message}): apt-get install debootstrap`);
    if (status !== 0) throw new Error(`debootstrap exited with ${status}`);
    copyFileSync(path.join('/', BUNDLE), path.join(folder, BUNDLE));
    const unneeded = ['./dev/*', './proc/*', './sys/*', './var/cache/apt/archives/*.deb', './var/lib/apt/lists/*'];
    const tar = spawn('tar', ['-C', folder, ...unneeded.map((one) => `--exclude=${one}`), '-c', '.'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await drain(await docker.importImage(tar.stdout, { repo: image, tag: 'latest' }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
