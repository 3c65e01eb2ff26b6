import path from 'node:path';
import { findLocalStart } from '@berth/builder/plan';
import type { Context } from '../command/context.ts';
import { UsageError } from '../errors/usage-error.ts';
import { findPort, hasProgram } from './find-port.ts';
import { startLocalService } from './local-service.ts';
import { readDevSettings } from './read-dev-settings.ts';

/** A project that runs on this machine until it is disposed of. */
export interface RunningProject extends AsyncDisposable {
  /** `http://localhost:…`. */
  readonly url: string;
}

const FIRST_PORT = 3_100;
/** Last lines of a project that did not start. */
const SHOWN_LINES = 20;

/**
 * Starts a project as `berth dev` does, without watching it, and waits until it answers.
 * @param dataFolder where an agent keeps its data.
 * @throws UsageError when it can't be started, with its last lines of output.
 */
export async function startProject(
  folder: string,
  dataFolder: string,
  { clock, environment, signal }: Pick<Context, 'clock' | 'environment' | 'signal'>,
): Promise<RunningProject> {
  const settings = await readDevSettings(folder);
  const port = await findPort(FIRST_PORT, false);
  const env = {
    BERTH_AGENT_DATA: dataFolder,
    NODE_ENV: 'development',
    HOST: 'localhost',
    ...settings.env,
    ...environment,
    PORT: String(port),
  };
  const start = await findLocalStart(folder, env, (program) => hasProgram(program, environment['PATH'] ?? ''));
  if (start.missing.length > 0) {
    throw new UsageError(`The project's dependencies are not installed. Run: ${start.missing.join(' && ')}`);
  }
  const lines: string[] = [];
  const onLine = (line: string) => {
    lines.push(line);
    if (lines.length > SHOWN_LINES) lines.shift();
  };
  const service = startLocalService({ argv: start.argv, folder, env, port, clock, onLine });
  const stop = () => service.stop();
  signal.addEventListener('abort', stop, { once: true });
  if (!(await service.listens())) {
    signal.throwIfAborted();
    throw new UsageError(
      `${path.basename(folder)} did not start: ${await service.ended}\n${lines.join('\n')}\nTo use an agent that runs elsewhere, give --agent.`,
    );
  }
  return {
    url: `http://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', stop);
      await service.stop();
    },
  };
}
