import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../tests/harness/free-port.ts';
import { openRawConnection } from '../../tests/harness/raw-connection.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';
import type { Address } from '../find-instance.ts';
import { CORES } from '../pin-process.ts';
import { processTree } from '../process-tree.ts';
import { CADDY } from './caddy.ts';
import { HAPROXY } from './haproxy.ts';
import { NGINX } from './nginx.ts';
import type { Peer, PeerRecipe } from './peer.ts';

const RECIPES: readonly PeerRecipe[] = [NGINX, HAPROXY, CADDY];

/** The proxies of this machine, started in front of one upstream; closing ends them. */
export interface Peers extends AsyncDisposable {
  readonly running: readonly Peer[];
  /** What there is to say of each: its version, or that it is not installed. */
  readonly notes: readonly string[];
}

/**
 * Starts nginx, HAProxy and Caddy, each on the core of what is measured, on a loopback port of its own, in a temporary
 * folder. What is not installed is left out. @throws Error with `CI=true`, where nothing may be missing.
 */
export async function startPeers(upstream: Address): Promise<Peers> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-peers-'));
  const children: ChildProcess[] = [];
  const running: Peer[] = [];
  const notes: string[] = [];
  const close = async () => {
    await Promise.all(children.map(end));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const recipe of RECIPES) {
      const version = versionOf(recipe);
      if (version === undefined) {
        if (process.env['CI'] === 'true')
          throw new Error(`CI must have every peer, and ${recipe.name} is not installed`);
        notes.push(`${recipe.name} is not installed and was not measured.`);
        continue;
      }
      const { child, port } = await start(recipe, folder, upstream, (one) => children.push(one));
      running.push({
        name: recipe.name,
        version,
        port,
        get pids() {
          return processTree(child.pid as number);
        },
      });
      notes.push(`${recipe.name} ${version}, one core, kept upstream connections, a log of all requests.`);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { running, notes, [Symbol.asyncDispose]: close };
}

async function start(
  recipe: PeerRecipe,
  folder: string,
  upstream: Address,
  onSpawn: (child: ChildProcess) => void,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort();
  const file = path.join(folder, `${recipe.name}.conf`);
  writeFileSync(file, recipe.config({ port, upstream, folder }));
  const pinned = availableParallelism() < 2 ? [] : ['taskset', '-c', String(CORES.target)];
  const words = [...pinned, recipe.program, ...recipe.startWords(file, folder)];
  const child = spawn(words[0] as string, words.slice(1), {
    stdio: ['ignore', openSync(path.join(folder, `${recipe.name}.log`), 'a'), 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  onSpawn(child);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await waitFor(`${recipe.name} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${recipe.name} ended with ${child.exitCode}: ${said}`);
    const connection = await openRawConnection(port).catch(() => undefined);
    connection?.[Symbol.dispose]();
    return connection;
  });
  return { child, port };
}

function versionOf({ program, versionWords }: PeerRecipe): string | undefined {
  const { status, stdout, stderr } = spawnSync(program, versionWords, { encoding: 'utf8' });
  return status === 0 ? (/\d+\.\d+(\.\d+)?/.exec(stdout + stderr)?.[0] ?? 'of an unknown version') : undefined;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const hammer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(hammer);
}
