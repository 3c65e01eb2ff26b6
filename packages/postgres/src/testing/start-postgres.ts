import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@berth/testkit';
import pg from 'pg';

/** The reason for skipping tests without Postgres, and how to install it. */
export const NO_POSTGRES = 'needs Postgres: apt-get install postgresql';

/** Returns the folder of Postgres's programs, which Debian installs outside the PATH. Undefined when there is none. */
export function findPostgres(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return [...folders, ...globSync('/usr/lib/postgresql/*/bin')].find((folder) =>
    existsSync(path.join(folder, 'initdb')),
  );
}

/** A Postgres server for one test, listening on a socket in its own folder only. */
export interface TestPostgres {
  readonly url: string;
  /** Stops the server, whose data is kept; open connections break. */
  stop(): Promise<void>;
  /** Ends the server as a power cut would; its data is kept. */
  kill(): Promise<void>;
  /** Starts the server again, at the same address. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** A file system in memory. A new schema takes a third of the time that it takes on a disk. */
const MEMORY = '/dev/shm';

/** Containers have 64 MiB there; the lanes with the most schemas take 1 GB. */
function hasMemory(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= 4 * 2 ** 30;
}

/** Postgres refuses to run as root; the user `nobody` runs it instead. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * Starts a Postgres server.
 * @param programs the folder that {@link findPostgres} returns.
 * @param isSynced for measurements: commits are on disk, as in production.
 */
export async function startPostgres(programs: string, isSynced = false): Promise<TestPostgres> {
  // The path is short, since a socket's path has at most 107 bytes.
  const folder = mkdtempSync(path.join(!isSynced && hasMemory() ? MEMORY : tmpdir(), 'pg-'));
  const data = path.join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  // Servers of other users reach the socket.
  chmodSync(folder, 0o711);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const one of [folder, data]) chownSync(one, NOBODY.uid, NOBODY.gid);
  const as = { ...(isRoot && NOBODY), cwd: folder, env: { PATH: programs, LC_ALL: 'C.UTF-8' } };
  const words = ['-D', data, '-U', 'test', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C.UTF-8'];
  const made = spawnSync(path.join(programs, 'initdb'), words, { ...as, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  // Tests need no durability, and syncing would slow them down.
  const unsynced = isSynced ? [] : ['fsync=off', 'full_page_writes=off'];
  const settings = [...unsynced, 'listen_addresses=', `unix_socket_directories=${folder}`];
  const url = `postgres://test@/postgres?host=${encodeURIComponent(folder)}`;
  let server: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const stopping = server;
    server = undefined;
    if (stopping?.exitCode !== null || stopping.signalCode !== null) return;
    const ended = once(stopping, 'exit');
    stopping.kill(signal);
    await ended;
  };
  // Fast shutdown: open connections are closed. Source: the manual, "Shutting Down the Server".
  const stop = () => end('SIGINT');
  const start = async () => {
    const isUp = async () => {
      // It refuses to start until the processes of a killed server have ended.
      if (server?.exitCode !== null) {
        server = spawn(path.join(programs, 'postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], {
          ...as,
          stdio: 'ignore',
        });
      }
      return takesConnections(url);
    };
    await waitUntil('Postgres takes connections', isUp, 60_000);
  };
  const close = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return { url, stop, kill: () => end('SIGKILL'), start, close };
}

async function takesConnections(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
