import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract/errors';
import { checkBackup, extractBackup } from '../../backup/extract-backup.ts';
import { type ObjectProblem, restoreState } from '../../backup/restore-state.ts';
import { type VerifiedService, verifyRestored } from '../../backup/verify-restored.ts';
import { defineCommand } from '../../command/command.ts';
import { formatBytes } from '../../output/format-bytes.ts';
import { formatDuration } from '../../output/format-duration.ts';
import type { Column } from '../../output/format-table.ts';

/** Marks the folder as restored for the server. Source: `apps/server/src/data-folder/data-place.ts`. */
const RESTORED_NAME = 'restored.json';

const COLUMNS: readonly Column<VerifiedService>[] = [
  { heading: 'deployment', text: ({ deployment }) => deployment },
  { heading: 'serves', text: ({ serves }) => (serves ? 'yes' : 'no') },
  { heading: 'status', text: ({ status }) => (status === 0 ? '-' : String(status)) },
  { heading: 'time', text: ({ ms }) => formatDuration(ms) },
  { heading: 'reason', text: ({ reason }) => reason },
];

const OBJECT_COLUMNS: readonly Column<ObjectProblem>[] = [
  { heading: 'bucket', text: ({ bucket }) => bucket },
  { heading: 'object', text: ({ key }) => key },
  { heading: 'problem', text: ({ problem }) => problem },
];

/** `berth admin restore`. */
export const adminRestore = defineCommand({
  name: 'restore',
  summary: 'Restore a backup into a new data folder',
  words: {
    '<file>': 'A backup written by `berth admin backup`',
    '<folder>': 'The new data folder; must be empty or absent',
  },
  description:
    "Checks the backup before anything is written. A backup of a platform on Postgres is loaded into the empty database of BERTH_DATABASE_URL, or into SQLite without it. With --verify, the platform is started briefly, reachable from this machine only and without schedules, and each service gets one request; the command exits with code 1 if a service does not respond. Objects in buckets (BERTH_S3_…) are compared with the backup's list. Run it as the server's user.",
  options: {
    '--verify': 'Start each service once and report which respond, and which objects in buckets are missing',
    '--keep-database': 'Restore only the files; keep the Postgres database of BERTH_DATABASE_URL as it is',
  },
  examples: [
    ['berth admin restore berth.tar.zst ./.berth', 'then `berth start --data ./.berth`'],
    ['berth admin restore berth.tar.zst ./.berth --verify', 'checks that every service responds'],
  ],
  async run({ words: [file = '', folder = ''], options }, { output, signal, workingFolder, environment }) {
    const source = path.resolve(workingFolder, file);
    const target = path.resolve(workingFolder, folder);
    const { size } = await stat(source);
    await refuseFull(target);
    const draft = `${target}.restoring`;
    const openSource = (verb: string) => {
      let read = 0;
      return createReadStream(source).on('data', (chunk) => {
        read += chunk.length;
        output.showStatus(`  ${verb} ${formatBytes(read)} of ${formatBytes(size)}`);
      });
    };
    const verify = async (restored: string) => {
      output.say('Starting each service once…');
      const onResult = ({ deployment, serves, status, ms }: VerifiedService) =>
        output.say(`  ${serves ? '✓' : '✗'} ${deployment}: ${status || 'no answer'} in ${formatDuration(ms)}`);
      const services = await verifyRestored({ folder: restored, environment, signal, onResult });
      if (services.length > 0) output.table(services, COLUMNS);
      const failed = services.filter(({ serves }) => !serves).length;
      output.say(`${services.length - failed} of ${services.length} services respond.`);
      return services;
    };
    try {
      const checked = await checkBackup(openSource('Checking'), signal);
      const { manifest, files, hasChecksums, buckets } = checked;
      if (!hasChecksums) {
        output.warn(`Backups of Berth ${manifest.version} have no checksums, so damaged files can't be detected.`);
      }
      // Extracted beside the target, so that an interrupted restore leaves no folder that looks complete.
      await rm(draft, { recursive: true, force: true });
      await mkdir(draft, { recursive: true, mode: 0o700 });
      await extractBackup(openSource('Restoring'), draft, signal);
      await writeFile(path.join(draft, RESTORED_NAME), `${JSON.stringify(manifest)}\n`, { mode: 0o600, flush: true });
      output.clearStatus();
      const needsState = manifest.database === 'postgres' || buckets.length > 0;
      const { keepDatabase: keepsDatabase = false, verify: isVerifying = false } = options;
      const state = needsState
        ? await restoreState({ folder: draft, environment, signal, isVerifying, keepsDatabase })
        : undefined;
      await rmdir(target).catch(() => {});
      await rename(draft, target);
      output.say(`Restored ${files} files of ${manifest.created_at}, made by Berth ${manifest.version}.`);
      if (state?.database) output.say(`Loaded ${state.rows} rows into ${DATABASES[state.database]}.`);
      if (!manifest.has_volumes) output.warn('Its volumes are in a bucket and not part of the backup.');
      if (manifest.has_master_key === false) output.warn(NO_KEY);
      const problems = state?.problems ?? [];
      if (state && options.verify && buckets.length > 0) {
        output.say(`${state.compared - problems.length} of ${state.compared} objects are in their buckets unchanged.`);
        if (problems.length > 0) output.table(problems, OBJECT_COLUMNS);
      }
      const services = options.verify ? await verify(target) : undefined;
      output.json({
        folder: target,
        files,
        has_checksums: hasChecksums,
        ...manifest,
        ...(services && { services, objects: problems }),
      });
      output.print(`Start it with: berth start --data ${target}`);
      return services?.every(({ serves }) => serves) === false || problems.length > 0 ? 1 : 0;
    } finally {
      output.clearStatus();
      await rm(draft, { recursive: true, force: true });
    }
  },
});

const DATABASES = { postgres: 'the Postgres database of BERTH_DATABASE_URL', sqlite: 'berth.db' } as const;
const NO_KEY =
  'Its master key is not part of the backup. Start the server with the BERTH_MASTER_KEY, BERTH_MASTER_KEY_FILE or BERTH_MASTER_KEY_COMMAND of the original.';

async function refuseFull(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0) return;
  const message = `${folder} is not empty. A backup is restored into an empty folder; nothing was changed.`;
  throw createError('conflict', message);
}
