import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { findBuiltSource, type StoredArchive } from '@berth/builder';
import type { VolumePlace } from '@berth/object-store';
import type { Artifact } from '@berth/runtime';
import type { CopiedArchive } from './journal.ts';
import { isInRegistry, type MovedImages } from './move-images.ts';
import type { MovePass } from './move-pass.ts';

/** The fate of the revision that serves a deployment. */
export interface MovedDeployment {
  readonly account: string;
  readonly name: string;
  /** Null before its first deploy ended. */
  readonly revision: string | null;
  /**
   * `rebuilt`: from the source in its build result; `pushed`: its image is pushed to the registry of the target; `kept`: it is there;
   * `unable`: see `reason`; `none`: nothing serves.
   */
  readonly becomes: 'rebuilt' | 'pushed' | 'kept' | 'unable' | 'none';
  readonly reason: string | null;
  /** Files and bytes of its source, before compression. */
  readonly files: number;
  readonly sizeBytes: number;
  /** Earlier revisions that can't be rolled back to any more. */
  readonly earlier: number;
  /** Its source in the target, after a pass. */
  readonly archive: StoredArchive | null;
}

/** An unfinished deploy whose archive moves along. */
export interface MovedDeploy {
  readonly id: string;
  readonly deployment: string;
  readonly archive: StoredArchive | null;
}

/** The place of archives in the object store of several servers. Source: packages/builder/src/shared/object-sweep.ts. */
const ARCHIVES: VolumePlace = { account: 'builds', storageId: 'archives' };

/** Stores the source of each serving revision, for a rebuild. */
export async function moveSources(pass: MovePass, images: MovedImages): Promise<readonly MovedDeployment[]> {
  const { source, target, isDryRun } = pass;
  const rows = await source.db
    .selectFrom('deployments')
    .leftJoin('revisions', (join) =>
      join
        .onRef('revisions.deployment', '=', 'deployments.name')
        .onRef('revisions.revision', '=', 'deployments.current_revision'),
    )
    .select(['deployments.name', 'deployments.account_id as account', 'revisions.revision', 'revisions.artifact'])
    .where('deployments.status', 'not in', ['deleting', 'reserved'])
    .orderBy('deployments.name')
    .execute();
  const moved: MovedDeployment[] = [];
  for (const { name, account, revision, artifact: text } of rows) {
    const artifact = text === null ? undefined : (JSON.parse(text) as Artifact);
    const base = { account, name, revision, reason: null, files: 0, sizeBytes: 0, archive: null };
    const earlier = await countEarlier(pass, images, name, text);
    if (artifact === undefined) {
      moved.push({ ...base, earlier, becomes: 'none' });
    } else if (artifact.kind === 'image') {
      const isMoved = images.adopt(artifact) !== undefined;
      const becomes = isInRegistry(artifact, target.config.registry) ? 'kept' : isMoved ? 'pushed' : 'unable';
      moved.push({ ...base, earlier, becomes, reason: isMoved ? null : images.problemOf(artifact) });
    } else {
      const found = await findBuiltSource(source.artifactFolder, artifact);
      const problem = found ? found.problem : 'its build result is not on this machine; deploy it again';
      if (!found || problem !== undefined) {
        moved.push({ ...base, earlier, becomes: 'unable', reason: problem ?? null });
        continue;
      }
      const { files, sizeBytes } = found;
      const archive = isDryRun
        ? null
        : await store(pass, `${account}/${name}/${revision}`, `moved-${revision}.tar.gz`, () => ({
            stream: found.pack(),
            isPacked: false,
          }));
      if (archive) pass.onProgress({ kind: 'source', name, sizeBytes: archive.sizeBytes });
      moved.push({ ...base, earlier, becomes: 'rebuilt', files, sizeBytes, archive });
    }
  }
  return moved;
}

/** Stores the archives of unfinished deploys, which go on in the target. */
export async function moveArchives(pass: MovePass): Promise<readonly MovedDeploy[]> {
  const rows = await pass.source.db
    .selectFrom('deploys')
    .select(['id', 'deployment', 'archive'])
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute();
  const moved: MovedDeploy[] = [];
  for (const { id, deployment, archive: text } of rows) {
    const stored = text === null ? undefined : (JSON.parse(text) as StoredArchive);
    const isHere = stored && stored.object === undefined && (await lstat(stored.path).catch(() => undefined));
    // The deploy ends soon, and with it the archive.
    const archive =
      isHere && !pass.isDryRun && !pass.isLive
        ? await store(pass, id, `moved-${id}.tar.gz`, () => ({ stream: createReadStream(stored.path), isPacked: true }))
        : null;
    moved.push({ id, deployment, archive });
  }
  return moved;
}

async function countEarlier({ source }: MovePass, images: MovedImages, deployment: string, serving: string | null) {
  const rows = await source.db
    .selectFrom('revisions')
    .select('artifact')
    .where('deployment', '=', deployment)
    .where('artifact', 'is not', null)
    .execute();
  const lost = rows.filter(({ artifact }) => images.adopt(JSON.parse(artifact ?? '') as Artifact) === undefined);
  return lost.filter(({ artifact }) => artifact !== serving).length;
}

/** Stores an archive once, by way of a file, because its checksum is sent with it. */
async function store(
  { source, target, journal, signal }: MovePass,
  key: string,
  object: string,
  open: () => { readonly stream: Readable; readonly isPacked: boolean },
): Promise<StoredArchive> {
  const known = journal.findArchive(key);
  if (known && (await target.objects.find(ARCHIVES, known.object))?.sizeBytes === known.sizeBytes)
    return toStored(known);
  const file = path.join(source.dataFolder, 'move.tar.gz');
  try {
    const { stream, isPacked } = open();
    const sink = createWriteStream(file, { mode: 0o600 });
    await (isPacked ? pipeline(stream, sink, { signal }) : pipeline(stream, createGzip(), sink, { signal }));
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of createReadStream(file)) {
      hash.update(chunk as Buffer);
      sizeBytes += (chunk as Buffer).length;
    }
    const digest = hash.digest();
    await target.objects.put(ARCHIVES, object, createReadStream(file), { sizeBytes, sha256: digest, signal });
    const copied = { object, sizeBytes, sha256: digest.toString('hex') };
    journal.noteArchive(key, copied);
    return toStored(copied);
  } finally {
    await rm(file, { force: true });
  }
}

/** No server has it on its disk. */
const toStored = (archive: CopiedArchive): StoredArchive => ({ path: `/moved/${archive.object}`, ...archive });
