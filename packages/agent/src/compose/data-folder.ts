import path from 'node:path';
import type { AgentOptions } from './agent-options.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where an agent keeps its data. */
export interface DataFolder {
  /** Absolute path. */
  readonly folder: string;
  /** False when nobody chose it: on the platform it goes with its instance then. */
  readonly isChosen: boolean;
}

/** See `AgentOptions.dataFolder`. */
export function dataFolderOf(
  { dataFolder }: Pick<AgentOptions, 'dataFolder'>,
  environment: Environment,
  workingFolder: string,
): DataFolder {
  const chosen = dataFolder ?? environment['BERTH_AGENT_DATA'] ?? firstWritableVolume(environment['BERTH_VOLUMES']);
  return { folder: path.resolve(workingFolder, chosen ?? 'data'), isChosen: chosen !== undefined };
}

/** Where the first volume that may be written is; where no sandbox mounts it, the platform says its `path`. */
function firstWritableVolume(mounts: string | undefined): string | undefined {
  if (mounts === undefined || mounts === '') return undefined;
  const volumes = JSON.parse(mounts) as Record<string, { readonly read_only?: boolean; readonly path?: string }>;
  const found = Object.entries(volumes).find(([, { read_only }]) => read_only !== true);
  return found && (found[1].path ?? found[0]);
}
