import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Artifact, expandCommand } from '@berth/runtime';

const GIVE_UP_MS = 20_000;

/** Starts an artifact as the process runtime would, requests `path` from it, and stops it. */
export async function askArtifact(
  artifactFolder: string,
  artifact: Artifact,
  path: string,
): Promise<{ status: number; text: string }> {
  if (artifact.kind !== 'folder') throw new Error('only folders are started here');
  const free = createServer().listen(0);
  await once(free, 'listening');
  const { port } = free.address() as { port: number };
  free.close();
  await once(free, 'close');
  const env = {
    PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
    ...artifact.env,
    PORT: String(port),
  };
  const [program = '', ...args] = expandCommand(artifact.command, env);
  const child = spawn(program, args, {
    cwd: join(artifactFolder, artifact.path),
    env,
    stdio: 'ignore',
    detached: true,
  });
  try {
    const deadlineMs = Date.now() + GIVE_UP_MS;
    for (;;) {
      try {
        const response = await fetch(`http://127.0.0.1:${port}${path}`);
        return { status: response.status, text: await response.text() };
      } catch (error) {
        if (child.exitCode !== null || Date.now() > deadlineMs) throw error;
        await delay(20);
      }
    }
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  }
}
