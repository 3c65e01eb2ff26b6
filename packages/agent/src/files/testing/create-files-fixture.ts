import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseWorkspacePath, type WorkspacePath } from '@berth/agent-core';
import type { AgentStores, OwnerKey } from '@berth/agent-store';
import { createSqlStores, openAgentSqlite } from '@berth/agent-store/sql';
import { createIdSource, createSilentLogger } from '@berth/kit';
import { createFakeClock, type FakeClock } from '@berth/testkit';
import { createWorkspaceStorage, type WorkspaceStorage } from '../../storage/create-workspace-storage.ts';
import { workspaceFolder } from '../workspace-folder.ts';

export const ANN = 'ann' as OwnerKey;
export const BOB = 'acme:bob' as OwnerKey;

/** WorkspaceStorage in a folder of their own, with Ann's and what lies around it at hand. */
export interface FilesFixture extends WorkspaceStorage, AsyncDisposable {
  readonly clock: FakeClock;
  readonly stores: AgentStores;
  readonly dataFolder: string;
  /** Absolute path in Ann's workspace, for what tools do behind the agent's back. */
  at(name: string): string;
  /** Writes text as Ann. */
  put(name: string, text: string): Promise<void>;
  /** What Ann reads; undefined when there is no such file. */
  text(name: string): Promise<string | undefined>;
  /** Paths of all files and folders that Ann sees. */
  paths(): Promise<readonly string[]>;
  /** As after a restart. */
  reopen(): Promise<WorkspaceStorage>;
}

export async function createFilesFixture(): Promise<FilesFixture> {
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'berth-files-'));
  // Files have the times of the machine's clock.
  const clock = createFakeClock(Date.now());
  const stores = createSqlStores(await openAgentSqlite(':memory:', createSilentLogger()));
  const ids = createIdSource(() => clock.nowMs());
  const reopen = () => createWorkspaceStorage({ dataFolder, stores, clock, ids, logger: createSilentLogger() });
  const workspaces = await reopen();
  const { files } = workspaces;
  return {
    ...workspaces,
    clock,
    stores,
    dataFolder,
    reopen,
    at: (name) => path.join(workspaceFolder(dataFolder, ANN), name),
    async put(name, text) {
      await files.write(ANN, parseWorkspacePath(name), bytesOf(text));
    },
    async text(name) {
      await using file = await files.open(ANN, name as WorkspacePath);
      return file && Buffer.concat(await file.read().toArray()).toString();
    },
    async paths() {
      const entries = await files.list(ANN, '' as WorkspacePath, { recursive: true });
      return entries.map((entry) => (entry.type === 'directory' ? `${entry.path}/` : entry.path)).sort();
    },
    async [Symbol.asyncDispose]() {
      await stores.close();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

export async function* bytesOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
