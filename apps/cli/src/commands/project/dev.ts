import { stat } from 'node:fs/promises';
import path from 'node:path';
import { findLocalStart } from '@berth/builder/plan';
import { createAgentClient } from '@berth/client';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { findPort, hasProgram } from '../../dev/find-port.ts';
import { type LocalService, startLocalService } from '../../dev/local-service.ts';
import { readDevSettings } from '../../dev/read-dev-settings.ts';
import { createServiceLog } from '../../dev/service-log.ts';
import { watchProject } from '../../dev/watch-project.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { cleanText } from '../../output/clean-text.ts';

const DEFAULT_PORT = 3_000;
/** Folder of an agent's local data, in a folder that is never deployed. */
const DATA_FOLDER = '.berth/dev';

/** `berth dev`. */
export const dev = defineCommand({
  name: 'dev',
  summary: 'Run a service or an agent locally and restart it on changes',
  description: `Runs the folder's start command on this machine, with PORT, NODE_ENV=development, and an agent's data in ${DATA_FOLDER}. Restarts when a file changes. Prints logs as lines, with the source of errors and an agent's tool calls. "dev" in berth.json sets the port and variables, and .env is read if it exists.`,
  words: { '[folder]': 'Project folder; the current folder by default' },
  options: {
    '-p, --port <number>': `Port to listen on; the first free port from ${DEFAULT_PORT} by default`,
    '--no-reload': "Don't restart when files change",
    '--no-open': "Don't open an agent's page in the browser",
  },
  examples: [
    ['berth dev', 'the project in this folder'],
    ['berth dev ./my-agent --port 4000', 'another folder, on a chosen port'],
  ],
  async run({ words: [word = '.'], options }, context) {
    const { output, workingFolder, clock, signal, environment } = context;
    const folder = path.resolve(workingFolder, word);
    if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw new UsageError(`${folder} is not a folder.`);
    const settings = await readDevSettings(folder);
    const wanted = readPort(options.port) ?? settings.port;
    const port = await findPort(wanted ?? DEFAULT_PORT, wanted !== undefined);
    const env = {
      BERTH_AGENT_DATA: path.join(folder, DATA_FOLDER),
      NODE_ENV: 'development',
      HOST: 'localhost',
      // The service prints into a pipe, where most libraries leave colors out.
      ...(output.style.hasColor && { FORCE_COLOR: '1' }),
      ...settings.env,
      ...environment,
      PORT: String(port),
    };
    const unset = settings.required.filter((name) => (env as Readonly<Record<string, unknown>>)[name] === undefined);
    if (unset.length > 0) {
      output.warn(
        `berth.json requires ${unset.join(', ')}. Set ${unset.length === 1 ? 'it' : 'them'} in .env for berth dev.`,
      );
    }
    const start = await findLocalStart(folder, env, (program) => hasProgram(program, environment['PATH'] ?? ''));
    if (start.missing.length > 0) {
      throw new UsageError(`The project's dependencies are not installed. Run: ${start.missing.join(' && ')}`);
    }
    output.say(`${start.title}: ${output.progressStyle.bold(start.command)}`);

    let onChange = (_path: string) => {};
    await using _watcher =
      options.reload === false ? undefined : await watchProject(folder, (file) => onChange(file), { clock });
    const format = createServiceLog({ style: output.style, folder });
    // With --json the lines of the service are passed on as they are.
    const onLine = (line: string) =>
      output.isJson ? context.standardOutput.write(`${line}\n`) : output.print(format(line));
    let isOpened = options.open !== false && settings.isOpened && output.isTerminal.result;
    const onReady = async () => {
      const url = await tellAddress(port, context);
      if (url !== undefined && isOpened) await context.openBrowser(url);
      isOpened = false;
    };
    for (;;) {
      const service = startLocalService({ argv: start.argv, folder, env, port, clock, onLine });
      const change = await runUntil(service, context, onReady, (leave) => {
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
  { output, signal }: Context,
  onReady: () => Promise<void>,
  onStart: (leave: (change: string) => void) => void,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const onAbort = () => resolve(undefined);
  let isOver = false;
  service.listens().then((isUp) => (isUp && !isOver ? onReady() : undefined));
  service.ended.then((how) => {
    if (!isOver) output.warn(`The program ended: ${how}. It restarts when a file changes; Ctrl-C quits.`);
  });
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  onStart(resolve);
  const change = await promise;
  isOver = true;
  signal.removeEventListener('abort', onAbort);
  return change;
}

/** Prints the address. Returns it for an agent, whose page can be opened. */
async function tellAddress(port: number, { output, clock }: Context): Promise<string | undefined> {
  const baseUrl = `http://localhost:${port}`;
  const agent = createAgentClient({ baseUrl, clock, signal: AbortSignal.timeout(2_000) });
  const title = await agent.get('/config').then(
    (profile) => (typeof profile?.title === 'string' ? cleanText(profile.title) : undefined),
    () => undefined,
  );
  output.json({ url: baseUrl, ...(title === undefined ? {} : { title }) });
  output.print(baseUrl);
  if (title === undefined) return undefined;
  output.say(`${title} is ready: open it, or run berth chat ${baseUrl}`);
  return baseUrl;
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new UsageError('--port must be a number from 1 to 65535');
  return port;
}
