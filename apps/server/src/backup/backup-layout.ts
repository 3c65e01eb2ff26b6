/** Version of the layout that is written. Version 1 had no seal and no `work_root` in its manifest. */
export const BACKUP_FORMAT = 2;

/** The first entry of a backup: its manifest. */
export const MANIFEST_NAME = 'berth-backup.json';

/** Parts of the data folder in a backup. The database is copied separately; state of the machine and the process is left out. */
export const DATA_PARTS = ['master.key', 'api-key', 'certificates', 'acme', 'logs', 'runtime-kind'] as const;

/** Parts of the work folder in a backup: volumes, artifacts and archives. Caches and running instances are left out. */
export const WORK_PARTS = ['volumes', 'artifacts', 'archives'] as const;
