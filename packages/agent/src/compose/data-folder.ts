import path from 'node:path';
import type { AgentOptions } from './agent-options.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of an agent's data. */
export interface DataFolder {
  /** Absolute path. */
  readonly folder: string;
  /** False for the default folder, which on the platform is lost with the instance. */
  readonly isChosen: boolean;
}

/** Returns the data folder; see `AgentOptions.dataFolder`. */
export function dataFolderOf(
  { dataFolder }: Pick<AgentOptions, 'dataFolder'>,
  environment: Environment,
  workingFolder: string,
): DataFolder {
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
