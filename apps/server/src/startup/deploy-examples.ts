import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { DeployEvent } from '@berth/contract';
import type { Platform } from '../compose/start-platform.ts';
import type { OperatorKey } from '../data-folder/operator-key.ts';
import { placeAgentLibrary } from '../library/agent-library.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));
const CLI = fileURLToPath(new URL('../../../cli/bin/berth.js', import.meta.url));

/** Options of {@link deployExamples}. */
export interface DeployExamplesOptions {
  readonly platform: Pick<Platform, 'localUrl'> & { readonly operatorKey: Pick<OperatorKey, 'secret'> };
  /** False when volumes can't be mounted, as those in a bucket: the agent stores its chats in one. */
  readonly hasMounts: boolean;
  print(text: string): void;
  readonly signal: AbortSignal;
}

/** Deploys the examples of a first start, a service and then an agent, with the `berth` command, and prints their addresses. */
export async function deployExamples(options: DeployExamplesOptions): Promise<void> {
  const { print, signal } = options;
  const show = async (label: string, name: string, deployed: Promise<DeployOutcome>, hint = ''): Promise<void> => {
    const { url, problem } = await deployed.catch((error: unknown): DeployOutcome => ({ problem: String(error) }));
    if (signal.aborted) return;
    print(url ? `  ${label.padEnd(10)}${url}${hint}\n` : `  The example ${name} couldn't be deployed: ${problem}\n`);
  };
  await show('Example', 'hello-node', deploy('hello-node', path.join(EXAMPLES, 'hello-node'), [], options));
  if (signal.aborted) return;
  if (!options.hasMounts) {
    print('  Agent     not deployed: it stores its chats in a mounted volume, and volumes are in a bucket here\n');
    return;
  }
  await show('Agent', 'agent-echo', deployAgent('agent-echo', options), ' (sign in with the API key)');
}

/** Deploys an agent from a temporary folder, because its library is packed now. */
async function deployAgent(name: string, options: DeployExamplesOptions): Promise<DeployOutcome> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-example-'));
  try {
    await cp(path.join(EXAMPLES, name), folder, { recursive: true });
    await placeAgentLibrary(path.join(folder, 'vendor'), options.signal);
    return await deploy(name, folder, ['--volume', `/data=${name}`], options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the path of the `berth` command: that of the repository, else that of the package `berth-cli`, which the package of the server depends on. */
function findCommand(): string {
  return existsSync(CLI) ? CLI : createRequire(import.meta.url).resolve('berth-cli/apps/cli/bin/berth.js');
}

/** The address of a deployment, or why there is none. */
interface DeployOutcome {
  readonly url?: string | undefined;
  readonly problem?: string;
}

async function deploy(
  name: string,
  folder: string,
  flags: readonly string[],
  { platform, signal }: DeployExamplesOptions,
): Promise<DeployOutcome> {
  const child = spawn(process.execPath, [findCommand(), 'deploy', folder, '--name', name, '--json', ...flags], {
    env: {
      PATH: process.env['PATH'],
      BERTH_URL: platform.localUrl,
      BERTH_API_KEY: platform.operatorKey.secret,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGTERM',
  });
  const [output, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    // Its output tells how the process ended.
    once(child, 'close').catch(() => {}),
  ]);
  const last = lastLine<DeployEvent>(output);
  if (last?.status === 'DONE' && last.url) return { url: last.url };
  const failure = lastLine<{ readonly error?: { readonly message?: string } }>(errors)?.error?.message;
  return { problem: last?.message ?? failure ?? (errors.trim() || 'the command ended without output') };
}

/** Parses the last line of a text; undefined when it isn't JSON. */
function lastLine<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text.trim().split('\n').at(-1) ?? '') as Value;
  } catch {
    return undefined;
  }
}
