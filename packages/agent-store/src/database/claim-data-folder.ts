import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract';
import type { Logger } from '@berth/kit';
import { codeOf } from '@berth/kit/node';
import { type AgentIdentity, otherProject } from './agent-identity.ts';

/** Options of {@link claimDataFolder}. */
export interface ClaimDataFolderOptions {
  /** Absolute path; created when missing. */
  readonly dataFolder: string;
  readonly name: string;
  /** The project's identity; undefined to use the one that the folder stores. */
  readonly project: string | undefined;
  readonly logger: Logger;
}

/** A data folder that belongs to one agent. */
export interface ClaimedFolder extends AgentIdentity {
  /** Absolute path: the given folder, or one inside it when the given folder belongs to an agent of another name. */
  readonly folder: string;
}

/**
 * Records in `<dataFolder>/.db/agent.json` which agent the folder belongs to. The first agent gets the folder itself,
 * with the data that earlier versions left in it; an agent of another name gets `<dataFolder>/.agents/<name>`. When
 * several instances start together, one writes the file and the others read it.
 * @throws `conflict` when the folder belongs to an agent of the same name in another project; `unavailable` when it
 * can't be written.
 */
export async function claimDataFolder(options: ClaimDataFolderOptions): Promise<ClaimedFolder> {
  const { dataFolder, name, project, logger } = options;
  const file = path.join(dataFolder, '.db', 'agent.json');
  const owner = (await read(file)) ?? (await write(file, { name, project: project ?? randomUUID() }));
  if (owner.name !== name) {
    const folder = path.join(dataFolder, '.agents', name);
    const changed = `The data folder ${dataFolder} belongs to the agent "${owner.name}", so "${name}" has ${folder}`;
    logger.warn({ dataFolder: folder }, `${changed}. Set storageName: '${owner.name}' if the agent was renamed`);
    return claimDataFolder({ ...options, dataFolder: folder });
  }
  if (project !== undefined && project !== owner.project) {
    throw otherProject(`The data folder ${dataFolder}`, owner, project, 'set BERTH_AGENT_DATA to a folder of its own');
  }
  return { ...owner, folder: dataFolder };
}

async function read(file: string): Promise<AgentIdentity | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unusableFolder(path.dirname(file), error);
  }
  const owner = parse(text);
  if (owner) return owner;
  throw createError('unavailable', `${file} is damaged: restore it from a backup, or remove it if one agent uses it.`);
}

function parse(text: string): AgentIdentity | undefined {
  try {
    const { name, project } = JSON.parse(text) as Partial<AgentIdentity>;
    return typeof name === 'string' && typeof project === 'string' ? { name, project } : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the file unless another instance has just done so, and returns its content. */
async function write(file: string, identity: AgentIdentity): Promise<AgentIdentity> {
  const folder = path.dirname(file);
  const temporary = path.join(folder, `.agent-${randomBytes(8).toString('hex')}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(temporary, `${JSON.stringify(identity)}\n`, { flag: 'wx', mode: 0o600, flush: true });
    // link(2) creates the name atomically and only if it doesn't exist yet.
    await link(temporary, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    throw unusableFolder(folder, error);
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
  const written = await read(file);
  if (!written) throw unusableFolder(folder, new Error('it was removed'));
  return written;
}

/** Returns the error for a folder of the database that can't be made or written. */
export function unusableFolder(folder: string, cause: unknown) {
  return createError(
    'unavailable',
    `The folder ${folder} can't be made (${codeOf(cause) ?? 'failed'}). ` +
      'Deploy the agent with a volume, or set BERTH_AGENT_DATA to a writable folder.',
    { cause },
  );
}
