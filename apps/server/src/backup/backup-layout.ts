/** Version of the layout that is written. 1 had no seal, and no `work_root` in its manifest. */
export const BACKUP_FORMAT = 2;

/** First in a backup: what it is. */
export const MANIFEST_NAME = 'berth-backup.json';

/** Of the data folder, all but the database, which is copied, and what belongs to the machine and the process. */
export const DATA_PARTS = ['master.key', 'api-key', 'certificates', 'acme', 'logs', 'runtime-kind'] as const;

/** Of the work folder: what services keep, and what they are started from. Caches and running instances are not. */
export const WORK_PARTS = ['volumes', 'artifacts', 'archives'] as const;
