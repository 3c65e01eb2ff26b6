import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * The paths of Pebble, Let's Encrypt's ACME server for tests, and of a DNS server that resolves every name to loopback.
 */
export interface PebblePrograms {
  readonly pebble: string;
  readonly dns: string;
}

const VERSION = 'v2.10.1';
const MODULE = 'github.com/letsencrypt/pebble/v2/cmd';
const BUILD_TIMEOUT_MS = 240_000;

/** Builds the programs once per machine. Returns the reason as text if they cannot be built. */
export async function buildPebble(): Promise<PebblePrograms | string> {
  const folder = path.join(tmpdir(), 'berth-test-tools', `pebble-${VERSION}`);
  const programs = { pebble: path.join(folder, 'pebble'), dns: path.join(folder, 'pebble-challtestsrv') };
  if (existsSync(programs.pebble) && existsSync(programs.dns)) return programs;
  mkdirSync(path.dirname(folder), { recursive: true });
  const building = mkdtempSync(`${folder}-`);
  try {
    const targets = ['pebble', 'pebble-challtestsrv'].map((name) => `${MODULE}/${name}@${VERSION}`);
    const env = { ...process.env, GOBIN: building, GOFLAGS: '-buildvcs=false' };
    await promisify(execFile)('go', ['install', ...targets], { env, timeout: BUILD_TIMEOUT_MS });
    // If two runs build at once, the folder of the first one stays.
    if (!existsSync(folder)) renameSync(building, folder);
    return programs;
  } catch (error) {
    return `Pebble cannot be built (it takes Go and its module proxy): ${String(error).split('\n')[0]}`;
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}
