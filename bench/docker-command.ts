import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';

/**
 * Runs the docker command on an engine, with the classic builder.
 * @param engine `unix:///…`
 * @returns what it printed
 * @throws Error with what it printed as errors
 */
export async function docker(engine: string, words: readonly string[], input?: Buffer): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: tmpdir(), DOCKER_HOST: engine, DOCKER_BUILDKIT: '0' };
  const child = spawn('docker', words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`docker ${words.join(' ')}: ${errors}`);
  return output.trim();
}
