import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DeployEvent } from '@berth/contract';
import type { Platform } from './start-platform.ts';

/** The service that a first run shows. */
const EXAMPLE_NAME = 'hello-node';
const EXAMPLE_FOLDER = fileURLToPath(new URL('../../../examples/hello-node', import.meta.url));
const CLI = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));

export interface DeployExampleOptions {
  readonly platform: Pick<Platform, 'addresses' | 'operatorKey'>;
  print(text: string): void;
  readonly signal: AbortSignal;
}

/** Deploys the example the way a user would, with the command line, and says where it is served. */
export async function deployExample({ platform, print, signal }: DeployExampleOptions): Promise<void> {
  const child = spawn(process.execPath, [CLI, 'deploy', EXAMPLE_FOLDER, '--name', EXAMPLE_NAME, '--json'], {
    env: {
      PATH: process.env['PATH'],
      BERTH_URL: platform.addresses.apiUrl,
      BERTH_API_KEY: platform.operatorKey.secret,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGTERM',
  });
  const [output, errors] = await Promise.all([readAll(child.stdout), readAll(child.stderr), ended(child)]);
  if (signal.aborted) return;
  const last = lastEvent(output);
  if (last?.status === 'DONE' && last.url) return print(`  Example   ${last.url}\n`);
  print(`  The example could not be deployed: ${last?.message ?? (errors.trim() || 'no answer')}\n`);
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Resolves however the process ended; what it said tells the rest. */
async function ended(child: ReturnType<typeof spawn>): Promise<void> {
  await once(child, 'close').catch(() => {});
}

function lastEvent(output: string): DeployEvent | undefined {
  const line = output.trim().split('\n').at(-1);
  try {
    return line ? (JSON.parse(line) as DeployEvent) : undefined;
  } catch {
    return undefined;
  }
}
