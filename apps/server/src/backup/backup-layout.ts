/**
 * Versions of the layout that are written: a backup with tables of Postgres or lists of objects, which earlier versions of Berth can't
 * restore, and any other. Version 1 had no seal and no `work_root` in its manifest.
 */
export const BACKUP_FORMATS = { extended: 3, plain: 2 } as const;

/** The first entry of a backup: its manifest. */
export const MANIFEST_NAME = 'berth-backup.json';

/** Tables of a Postgres database, in the order in which they are loaded. Their rows follow in `database/<schema>.<table>/<number>.jsonl`. */
export const TABLES_NAME = 'database/tables.json';

/** Folder with a list of the objects of each bucket: `objects/<bucket>/<number>.jsonl`. */
export const OBJECTS_FOLDER = 'objects';

/** Returns the name of a part of something too large for one file. Names sort by number. */
export function partName(folder: string, number: number): string {
  return `${folder}/${String(number).padStart(8, '0')}.jsonl`;
}

/** Parts of the data folder in a backup. The database is copied separately; state of the machine and the process is left out. */
export const DATA_PARTS = ['master.key', 'api-key', 'certificates', 'acme', 'logs', 'runtime-kind'] as const;

/** Parts of the work folder in a backup: volumes, artifacts and archives. Caches and running instances are left out. */
export const WORK_PARTS = ['volumes', 'artifacts', 'archives'] as const;
