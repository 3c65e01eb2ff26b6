import { DatabaseSync } from 'node:sqlite';

/** What the server's database knows of the files beside it. */
export interface DiskRecords {
  /** Paths below the folder of artifacts that some revision has, and whether it serves. */
  readonly artifacts: ReadonlyMap<string, { readonly isCurrent: boolean }>;
  readonly imageCount: number;
  /** `<account>/<storage id>` of deleted volumes. */
  readonly deletedVolumes: ReadonlySet<string>;
  /** Why nothing could be read. */
  readonly problem: string | undefined;
}

interface RevisionRow {
  readonly artifact: string;
  readonly is_current: number;
}

/** Reads the records of a server's database, beside the server. Source of the tables: `@berth/database`. */
export function readDiskRecords(file: string): DiskRecords {
  try {
    using database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    const rows = database
      .prepare(
        `SELECT r.artifact, d.name IS NOT NULL AS is_current FROM revisions r LEFT JOIN deployments d
         ON d.account_id = r.account_id AND d.name = r.deployment AND d.current_revision = r.revision
         WHERE r.artifact IS NOT NULL`,
      )
      .all() as unknown as RevisionRow[];
    const volumes = database.prepare('SELECT account_id, storage_id FROM deleted_volumes').all();
    const artifacts = new Map<string, { readonly isCurrent: boolean }>();
    let imageCount = 0;
    for (const { artifact, is_current } of rows) {
      const { path } = JSON.parse(artifact) as { readonly path?: string };
      if (path === undefined) imageCount++;
      else artifacts.set(path, { isCurrent: is_current === 1 || artifacts.get(path)?.isCurrent === true });
    }
    const deletedVolumes = new Set(volumes.map((row) => `${row['account_id']}/${row['storage_id']}`));
    return { artifacts, imageCount, deletedVolumes, problem: undefined };
  } catch (error) {
    const problem = `The database couldn't be read: ${(error as Error).message}.`;
    return { artifacts: new Map(), imageCount: 0, deletedVolumes: new Set(), problem };
  }
}
