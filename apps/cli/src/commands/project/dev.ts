import { access, constants, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { findLocalStart } from '@berth/builder/plan';
import { createAgentClient } from '@berth/client';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { type LocalService, startLocalService } from '../../dev/local-service.ts';
import { watchProject } from '../../dev/watch-project.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { cleanText } from '../../output/clean-text.ts';

const DEFAULT_PORT = 3_000;
/** Folder of an agent's local data, in a folder that is never deployed. */
const DATA_FOLDER = '.berth/dev';

/** `berth dev`. */
export const dev = defineCommand({
  name: 'dev',
  summary: 'Run a service or an agent here, and again at each change',
  description: `Starts what a deployment of the folder would start, on this machine: with PORT set, NODE_ENV=development, and an agent's data in ${DATA_FOLDER}. Saving a file starts it again.`,
  words: { '[folder]': 'The project; the working folder by default' },
  options: {
    '-p, --port <number>': `Port to listen on; the first free one from ${DEFAULT_PORT} by default`,
    '--no-reload': 'Leave it running when files change',
  },
  examples: [
    ['berth dev', 'the project in this folder'],
    ['berth dev ./my-agent --port 4000', 'another one, on a port of your choice'],
  ],
  async run({ words: [word = '.'], options }, context) {
    const { output, workingFolder, clock, signal, environment } = context;
    const folder = path.resolve(workingFolder, word);
    if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw new UsageError(`${folder} is not a folder.`);
    const port = await findPort(readPort(options.port) ?? DEFAULT_PORT, options.port !== undefined);
    const env = {
      BERTH_AGENT_DATA: path.join(folder, DATA_FOLDER),
      NODE_ENV: 'development',
      HOST: 'localhost',
      ...environment,
      PORT: String(port),
    };
    const start = await findLocalStart(folder, env, (program) => hasProgram(program, environment['PATH'] ?? ''));
    if (start.missing.length > 0) {
      throw new UsageError(`Its dependencies are not installed here. Run: ${start.missing.join(' && ')}`);
    }
    output.say(`${start.title}: ${output.progressStyle.bold(start.command)}`);

    let onChange = (_path: string) => {};
    await using _watcher =
      options.reload === false ? undefined : await watchProject(folder, (file) => onChange(file), { clock });
    for (;;) {
      const service = startLocalService({ argv: start.argv, folder, env, port, clock });
      const change = await runUntil(service, port, context, (leave) => {
        onChange = leave;
      });
      await service.stop();
      if (change === undefined || signal.aborted) break;
      output.say(output.progressStyle.dim(`${cleanText(change)} changed; starting again`));
    }
    return undefined;
  },
});

/** Waits until `leave` is called and returns its value; undefined when the command ends. */
async function runUntil(
  service: LocalService,
  port: number,
  context: Context,
  onReady: (leave: (change: string) => void) => void,
): Promise<string | undefined> {
  const { output, signal } = context;
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const onAbort = () => resolve(undefined);
  let isOver = false;
  service.listens().then((isUp) => (isUp && !isOver ? tellAddress(port, context) : undefined));
  service.ended.then((how) => {
    if (!isOver) output.warn(`It ended: ${how}. It is started again when a file changes; Ctrl-C leaves.`);
  });
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  onReady(resolve);
  const change = await promise;
  isOver = true;
  signal.removeEventListener('abort', onAbort);
  return change;
}

async function tellAddress(port: number, { output, clock }: Context): Promise<void> {
  const baseUrl = `http://localhost:${port}`;
  const agent = createAgentClient({ baseUrl, clock, signal: AbortSignal.timeout(2_000) });
  const title = await agent.get('/config').then(
    (profile) => (typeof profile?.title === 'string' ? cleanText(profile.title) : undefined),
    () => undefined,
  );
  output.json({ url: baseUrl, ...(title === undefined ? {} : { title }) });
  output.print(baseUrl);
  if (title !== undefined) output.say(`${title} answers there: open it, or run berth chat ${baseUrl}`);
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new UsageError('--port: write a number from 1 to 65535');
  return port;
}

async function hasProgram(name: string, searchPath: string): Promise<boolean> {
  for (const folder of searchPath.split(path.delimiter)) {
    const isThere = await access(path.join(folder, name), constants.X_OK)
      .then(() => true)
      .catch(() => false);
    if (isThere) return true;
  }
  return false;
}

/** How many ports are tried after the first one. */
const TRIES = 20;

/** Finds a free port: `wanted`, or, unless it was given explicitly, one of the next. @throws UsageError when none is free */
async function findPort(wanted: number, isAskedFor: boolean): Promise<number> {
  for (let port = wanted; port < wanted + (isAskedFor ? 1 : TRIES); port++) if (await isFree(port)) return port;
  throw new UsageError(`Port ${wanted} is in use. Name another with --port.`);
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ port, host: 'localhost' }, () => server.close(() => resolve(true)));
  return promise;
}
