import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEngine, parseEngineAddress } from '@berth/runtime-docker';
import { removeLeftovers } from './leftovers.ts';

/** The socket of the engine of a folder, as `DOCKER_HOST` is written. */
export function engineAddress(folder: string): string {
  return `unix://${path.join(folder, 'docker.sock')}`;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;

/**
 * Starts an engine that keeps everything in `folder` and listens only there. Does nothing when it runs. Takes root.
 * @throws Error when the machine has an engine already; with the end of its log when it doesn't answer in a minute.
 */
export async function startEngine(folder: string): Promise<void> {
  const address = engineAddress(folder);
  if (await answers(address)) return;
  if (await answers(undefined)) {
    throw new Error(
      "Another engine runs on this machine. Two of them share the kernel's packet filter, and the second takes the rules of the first: stop it, or use it for the tests with BERTH_TEST_ENGINE (they make and remove containers, networks and images in it).",
    );
  }
  removeLeftovers();
  mkdirSync(folder, { recursive: true });
  const logFile = path.join(folder, 'log');
  const log = openSync(logFile, 'w');
  const argv = [
    ...['--data-root', path.join(folder, 'data'), '--exec-root', path.join(folder, 'exec')],
    ...['--pidfile', path.join(folder, 'pid'), '--host', address],
  ];
  const child = spawn('dockerd', argv, { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  let problem: string | undefined;
  child.once('error', (error) => {
    problem = `dockerd cannot be started (${error.message}): apt-get install docker.io`;
  });
  child.once('exit', (code) => {
    problem = `dockerd exited with ${code}:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`;
  });
  for (const deadline = Date.now() + START_TIMEOUT_MS; !(await answers(address)); await sleep(100)) {
    if (problem !== undefined) throw new Error(problem);
    if (Date.now() > deadline) throw new Error(`dockerd does not answer; its log is ${logFile}`);
  }
  child.unref();
}

/** Stops the engine of a folder, with its containers, and deletes the folder when `isForGood`. */
export async function stopEngine(folder: string, { isForGood }: { readonly isForGood: boolean }): Promise<void> {
  const pidFile = path.join(folder, 'pid');
  if (existsSync(pidFile)) {
    const pid = Number(readFileSync(pidFile, 'utf8'));
    if (isEngine(pid, folder)) process.kill(pid, 'SIGTERM');
    for (const deadline = Date.now() + STOP_TIMEOUT_MS; isEngine(pid, folder); await sleep(50)) {
      if (Date.now() > deadline) throw new Error(`dockerd (${pid}) does not end`);
    }
  }
  if (!isForGood) return;
  unmountBelow(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** An engine that was killed leaves its network namespace, and layers of its containers, mounted. */
function unmountBelow(folder: string): void {
  const points = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((point) => point.startsWith(`${folder}/`));
  // The innermost first.
  for (const point of points.reverse()) spawnSync('umount', ['--lazy', point], { stdio: 'ignore' });
}

/** It is still the one whose id was written down. */
function isEngine(pid: number, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(path.join(folder, 'data'));
  } catch {
    return false;
  }
}

function answers(address: string | undefined): Promise<boolean> {
  return openEngine(parseEngineAddress(address)).then(
    () => true,
    () => false,
  );
}
