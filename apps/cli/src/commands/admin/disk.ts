import path from 'node:path';
import { defineCommand } from '../../command/command.ts';
import {
  type DeploymentUse,
  DISK_PARTS,
  type DiskPart,
  type DiskUse,
  isDataFolder,
  readDiskUse,
  sizeOf,
} from '../../disk/read-disk-use.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { formatBytes } from '../../output/format-bytes.ts';
import type { Column } from '../../output/format-table.ts';

/** Deployments that are shown; `--json` has all. */
const SHOWN_DEPLOYMENTS = 10;

const DEPLOYMENT_COLUMNS: readonly Column<DeploymentUse>[] = [
  { heading: 'deployment', text: ({ deployment }) => deployment },
  { heading: 'revisions', text: ({ artifactBytes }) => formatBytes(artifactBytes) },
  { heading: 'caches', text: ({ cacheBytes }) => formatBytes(cacheBytes) },
  { heading: 'total', text: (use) => formatBytes(sizeOf(use)) },
];

/** `berth admin disk`. */
export const adminDisk = defineCommand({
  name: 'disk',
  summary: 'Show what uses disk space in the data folder',
  description:
    "Reads the files of a server on this machine, running or stopped. Hard links are counted once. Run it as the server's user.",
  options: {
    '--data <folder>': 'Data folder; BERTH_DATA or .berth by default',
    '--by <group>': 'part (default) or deployment (the ten largest)',
  },
  examples: [
    ['berth admin disk', 'then `berth admin prune` removes unused data'],
    ['berth admin disk --data /var/lib/berth --by deployment', 'the largest deployments'],
  ],
  async run({ options }, { output, workingFolder, dataFolders, environment, signal }) {
    const { by = 'part' } = options;
    if (by !== 'part' && by !== 'deployment') throw new UsageError('--by must be part or deployment.');
    const named = options.data === undefined ? undefined : path.resolve(workingFolder, options.data);
    output.showStatus('  Measuring');
    const folder = named ?? dataFolders.find(isDataFolder) ?? dataFolders[0] ?? '.berth';
    const use = await readDiskUse(folder, { environment, signal }).finally(() => output.clearStatus());
    if (use.problem) output.warn(`${use.problem} Live revisions can't be told from inactive ones.`);
    output.json(toJson(use));
    if (by === 'deployment') {
      const shown = use.deployments.slice(0, SHOWN_DEPLOYMENTS);
      output.table(shown, DEPLOYMENT_COLUMNS);
      output.say(
        `${shown.length} of ${use.deployments.length} deployments. Volumes are not counted, because they belong to accounts.`,
      );
    } else output.table(rowsOf(use), PART_COLUMNS);
    if (use.imageCount > 0) {
      output.say(`${use.imageCount} built revisions are container images: see docker system df.`);
    }
    for (const { folder, freeBytes, sizeBytes } of use.disks) {
      output.say(`${formatBytes(freeBytes)} of ${formatBytes(sizeBytes)} free on the disk of ${folder}`);
    }
  },
});

const PART_COLUMNS: readonly Column<readonly [string, number]>[] = [
  { heading: 'size', text: ([, bytes]) => formatBytes(bytes) },
  { heading: 'what', text: ([what]) => what },
];

function rowsOf({ parts, totalBytes }: DiskUse): (readonly [string, number])[] {
  const names = Object.keys(DISK_PARTS) as DiskPart[];
  return [...names.map((part) => [DISK_PARTS[part], parts[part]] as const), ['Total', totalBytes]];
}

function toJson(use: DiskUse) {
  return {
    data_folder: use.dataFolder,
    work_root: use.workRoot,
    parts: use.parts,
    total_bytes: use.totalBytes,
    deployments: use.deployments.map((one) => ({
      deployment: one.deployment,
      account: one.account,
      artifact_bytes: one.artifactBytes,
      cache_bytes: one.cacheBytes,
    })),
    disks: use.disks.map(({ folder, freeBytes, sizeBytes }) => ({
      folder,
      free_bytes: freeBytes,
      size_bytes: sizeBytes,
    })),
    image_count: use.imageCount,
  };
}
