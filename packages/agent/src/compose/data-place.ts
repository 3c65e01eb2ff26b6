import path from 'node:path';
import { claimDataFolder } from '@berth/agent-store/sql';
import { createError } from '@berth/contract';
import type { BerthError } from '@berth/kit';
import type { AgentOptions } from './agent-options.ts';
import type { ProcessContext } from './process-context.ts';

type Environment = ProcessContext['environment'];
type Options = Pick<AgentOptions, 'name' | 'dataFolder' | 'databaseUrl' | 'storageName' | 'project'>;

/**
 * Returns the data folder and the database of an agent that keeps data, and the identity that the data is kept under. The folder
 * is created when missing, and recorded as the agent's.
 * @throws `invalid` in production when data would be lost with the instance; `conflict` when the folder belongs to another agent;
 * `unavailable` when the folder can't be written.
 */
export async function openDataPlace(
  options: Options,
  processContext: ProcessContext,
  { isProduction, kept }: { readonly isProduction: boolean; readonly kept: 'sign-in' | 'tasks' },
) {
  const { environment, logger } = processContext;
  const { folder, isChosen } = dataFolderOf(options, processContext);
  const { name, storageName = name, databaseUrl: url = environment['DATABASE_URL'] } = options;
  const project = options.project ?? projectOf(environment);
  if (isProduction && !isChosen) {
    if (!url) throw noLastingPlace(name, environment, kept);
    if (project === undefined) throw noLastingIdentity(name);
    logger.warn({ dataFolder: folder }, 'files are lost with the instance: deploy the agent with a volume');
  }
  const claimed = await claimDataFolder({ dataFolder: folder, name: storageName, project, logger });
  return { dataFolder: claimed.folder, url, agent: { name: storageName, project: claimed.project } };
}

/** Returns the identity of the agent's project that its environment states. Deployment names are unique within a platform. */
function projectOf(environment: Environment): string | undefined {
  const { BERTH_AGENT_PROJECT: project, K_SERVICE: deployment, BERTH_ACCOUNT_ID: account } = environment;
  if (project || !deployment) return project || undefined;
  return account ? `${account}/${deployment}` : deployment;
}

function noLastingPlace(name: string, environment: Environment, kept: 'sign-in' | 'tasks'): BerthError {
  const deployment = environment['K_SERVICE'];
  const volume =
    deployment === undefined
      ? 'Set BERTH_AGENT_DATA to a persistent folder'
      : `Deploy it with --volume /data=${deployment}`;
  return createError(
    'invalid',
    `The agent ${name} has ${kept}, so it keeps ${kept === 'tasks' ? 'those' : 'chats and files'}, but no writable volume to keep ` +
      `them in: they would be lost with the instance. ${volume}, or set DATABASE_URL to a Postgres database.`,
  );
}

function noLastingIdentity(name: string): BerthError {
  return createError(
    'invalid',
    `The agent ${name} can't tell its data in DATABASE_URL from that of another project's agent ${name}. Set BERTH_AGENT_PROJECT to ` +
      'a name of this project that never changes, such as my-company/my-agent, or BERTH_AGENT_DATA to a persistent folder.',
  );
}

/** Returns the data folder, see `AgentOptions.dataFolder`; without a choice, one that on the platform is lost with the instance. */
export function dataFolderOf(
  { dataFolder }: Pick<AgentOptions, 'dataFolder'>,
  { environment, workingFolder }: Pick<ProcessContext, 'environment' | 'workingFolder'>,
) {
  const chosen = dataFolder ?? environment['BERTH_AGENT_DATA'] ?? firstWritableVolume(environment['BERTH_VOLUMES']);
  return { folder: path.resolve(workingFolder, chosen ?? 'data'), isChosen: chosen !== undefined };
}

/** Returns the path of the first writable volume. Without a sandbox that mounts it, the platform states its `path`. */
function firstWritableVolume(mounts: string | undefined): string | undefined {
  if (mounts === undefined || mounts === '') return undefined;
  const volumes = JSON.parse(mounts) as Record<string, { readonly read_only?: boolean; readonly path?: string }>;
  const found = Object.entries(volumes).find(([, { read_only }]) => read_only !== true);
  return found && (found[1].path ?? found[0]);
}
