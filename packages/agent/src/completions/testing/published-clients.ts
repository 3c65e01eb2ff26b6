import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** Where `tools/agent-clients/main.ts` installs the clients that are too large to be dependencies. Absolute path. */
const FOLDER = path.resolve(import.meta.dirname, '../../../../../tools/agent-clients');

/** A published client of OpenAI's API that is installed on demand. */
export interface PublishedClient {
  /** The folder of its program, in which it is installed. Absolute path. */
  readonly folder: string;
  /** The interpreter of its programs. Absolute path. */
  readonly command: string;
  /** The file in `folder` that runs the scenarios. */
  readonly program: string;
  /** Why it can't run on this machine; undefined when it can. */
  readonly lacking: string | undefined;
}

/** LangChain.js. */
export const LANGCHAIN = publishedClient('langchain', 'node_modules', process.execPath, 'client.mjs');
/** litellm, a client in Python. */
export const LITELLM = publishedClient('litellm', '.venv', '.venv/bin/python', 'client.py');

/** The environment of clients: litellm loads its list of prices from the web without this. */
export const CLIENT_ENV = { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: 'True' };

/** @throws Error in CI for a client that is not installed. */
function publishedClient(name: string, target: string, command: string, program: string): PublishedClient {
  const folder = path.join(FOLDER, name);
  const isInstalled = existsSync(path.join(folder, target, '.installed'));
  const lacking = isInstalled ? undefined : `needs ${name}: run node tools/agent-clients/main.ts`;
  if (lacking && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${lacking}`);
  return { folder, command: path.resolve(folder, command), program, lacking };
}

/** Starts the client's program, which runs scenarios one after the other until `end()`. */
export function startClient({ folder, command, program }: PublishedClient) {
  const child = spawn(command, [program], { cwd: folder, env: CLIENT_ENV, stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    /** Runs a scenario against the agent at the address, and returns what the client got; its `error` when it failed. */
    async run(scenario: string, url: string, key: string): Promise<unknown> {
      child.stdin.write(`${JSON.stringify({ scenario, url, key })}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`the client has ended in the scenario ${scenario}`);
      return JSON.parse(value);
    },
    async end(): Promise<void> {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
