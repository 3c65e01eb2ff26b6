import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../tests/harness/free-port.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';
import type { Address } from '../find-instance.ts';
import { CORES } from '../pin-process.ts';
import { processTree } from '../process-tree.ts';
import { CADDY } from './caddy.ts';
import { type CertificateFiles, createCertificate } from './create-certificate.ts';
import { findProgram } from './find-program.ts';
import { HAPROXY } from './haproxy.ts';
import { NGINX } from './nginx.ts';
import type { Peer, PeerRecipe, PeerSetup } from './peer.ts';
import { TRAEFIK } from './traefik.ts';

const RECIPES: readonly PeerRecipe[] = [NGINX, HAPROXY, CADDY, TRAEFIK];

/** The proxies of this machine, started in front of one upstream; closing ends them. */
export interface Peers extends AsyncDisposable {
  readonly running: readonly Peer[];
  /** What there is to say of each: its version, or that it is not installed. */
  readonly notes: readonly string[];
}

/**
 * Starts nginx, HAProxy, Caddy and Traefik, each on the core of what is measured, on a loopback port of its own, in a temporary
 * folder. What is not installed is left out. @throws Error with `CI=true`, where nothing that Debian has may be missing.
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
    const certificate: CertificateFiles = createCertificate(folder);
    for (const recipe of RECIPES) {
      const program = findProgram(recipe.program);
      if (program === undefined) {
        if (process.env['CI'] === 'true' && recipe.howToGet === undefined)
          throw new Error(`CI must have every peer, and ${recipe.name} is not installed`);
        const help = recipe.howToGet === undefined ? '' : ` (${recipe.howToGet})`;
        notes.push(`${recipe.name} is not installed${help} and was not measured.`);
        continue;
      }
      const version = versionOf(program, recipe);
      // Traefik takes a traefik.yml in its home for something else.
      const file = path.join(folder, `${recipe.name}-config.${recipe.extension ?? 'conf'}`);
      const setup = { port: await freePort(), tlsPort: await freePort(), upstream, certificate, folder, file };
      const child = await start(recipe, program, setup, (one) => children.push(one));
      running.push({
        name: recipe.name,
        version,
        port: setup.port,
        tlsPort: setup.tlsPort,
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
  program: string,
  setup: PeerSetup,
  onSpawn: (child: ChildProcess) => void,
): Promise<ChildProcess> {
  writeFileSync(setup.file, recipe.config(setup));
  const pinned = availableParallelism() < 2 ? [] : ['taskset', '-c', String(CORES.target)];
  const words = [...pinned, program, ...recipe.startWords(setup)];
  const { folder } = setup;
  const child = spawn(words[0] as string, words.slice(1), {
    stdio: ['ignore', openSync(path.join(folder, `${recipe.name}.log`), 'a'), 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  onSpawn(child);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  // Traefik listens before it has read its routes.
  await waitFor(`${recipe.name} forwards`, async () => {
    if (child.exitCode !== null) throw new Error(`${recipe.name} ended with ${child.exitCode}: ${said}`);
    return fetch(`http://127.0.0.1:${setup.port}/`).then(
      async (answer) => (await answer.text()) !== '' && answer.ok,
      () => false,
    );
  });
  return child;
}

function versionOf(program: string, { versionWords }: PeerRecipe): string {
  const { stdout, stderr } = spawnSync(program, versionWords, { encoding: 'utf8' });
  return /\d+\.\d+(\.\d+)?/.exec(stdout + stderr)?.[0] ?? 'of an unknown version';
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const hammer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(hammer);
}
