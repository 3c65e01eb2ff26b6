import type { Context } from '../command/context.ts';
import { formatBytes } from '../output/format-bytes.ts';
import type { AdaptedValue } from './run-migration.ts';
import { type MovedDeployment, type MovedPlatform, type MovedVolume, runPlatformMove } from './run-platform-move.ts';

/** A step of the move. */
export type MoveStep = 'plan' | 'copy' | 'switch';

/** Runs a step of a move to Kubernetes, and prints what it did, or would do. */
export async function moveToKubernetes(
  { dataFolder, step }: { readonly dataFolder: string; readonly step: MoveStep },
  { output, environment, signal }: Pick<Context, 'output' | 'environment' | 'signal'>,
): Promise<void> {
  const adapted: AdaptedValue[] = [];
  let copiedBytes = 0;
  const moved = await runPlatformMove({
    ...{ dataFolder, step, environment, signal },
    onProgress({ kind, name, sizeBytes }) {
      copiedBytes += sizeBytes;
      output.showStatus(`  Copying ${LABELS[kind]} ${name}: ${formatBytes(copiedBytes)} so far`);
    },
    onAdapted: (value) => adapted.push(value),
  }).finally(() => output.clearStatus());
  for (const { table, key, column, reason } of adapted) {
    output.warn(`${table} ${key.join(' ')}, ${column}: ${reason}.`);
  }
  output.json({ to: 'kubernetes', step, ...(moved ? toJson(moved) : { is_switched: true }), adapted });
  if (moved === undefined) {
    output.print('The platform was moved to Kubernetes before. Nothing was changed.');
    return;
  }
  printVolumes(moved, output);
  printDeployments(moved, output);
  printRest(moved, step, output);
  output.print(nextStep(moved, step));
}

const LABELS = {
  volume: 'volume',
  source: 'the source of',
  image: 'the image of',
  log: 'the log of',
  table: 'table',
} as const;

type Output = Pick<Context, 'output'>['output'];

function printVolumes({ volumes }: MovedPlatform, output: Output): void {
  if (volumes.length === 0) return;
  output.table(volumes, [
    { heading: 'volume', text: ({ account, name }: MovedVolume) => `${account}/${name}` },
    { heading: 'to copy', text: (one: MovedVolume) => `${one.copied} (${formatBytes(one.copiedBytes)})` },
    { heading: 'copied before', text: (one: MovedVolume) => `${one.unchanged} (${formatBytes(one.unchangedBytes)})` },
    { heading: 'removed', text: ({ removed }: MovedVolume) => String(removed) },
    { heading: 'note', text: describeVolume },
  ]);
}

function describeVolume({ from, isDeleted, changing, leftOut }: MovedVolume): string {
  const notes = isDeleted ? ['deleted, can be restored'] : [];
  if (from === 'there') notes.push('its files are in the target already');
  if (from === 'empty') notes.push('no files');
  if (changing > 0) notes.push(`${changing} changed meanwhile; the next pass copies them`);
  if (leftOut.links > 0) notes.push(`${leftOut.links} symbolic links stay: a bucket has none`);
  if (leftOut.folders > 0) notes.push(`${leftOut.folders} empty folders stay: a bucket has none`);
  return notes.join('; ');
}

function printDeployments({ deployments }: MovedPlatform, output: Output): void {
  if (deployments.length === 0) return;
  output.table(deployments, [
    { heading: 'deployment', text: ({ account, name }: MovedDeployment) => `${account}/${name}` },
    { heading: 'revision', text: ({ revision }: MovedDeployment) => revision ?? '' },
    { heading: 'becomes', text: describeDeployment },
    { heading: 'no rollback to', text: ({ earlier }: MovedDeployment) => (earlier === 0 ? '' : `${earlier} earlier`) },
  ]);
}

function describeDeployment({ becomes, reason, files, sizeBytes }: MovedDeployment): string {
  if (becomes === 'rebuilt') return `rebuilt from its source (${files} files, ${formatBytes(sizeBytes)})`;
  if (becomes === 'pushed') return 'served by its image, which is pushed to the registry';
  if (becomes === 'kept') return 'kept: its image is in the registry';
  if (becomes === 'none') return 'nothing serves';
  return `can't start there: ${reason}`;
}

function printRest({ tables, logs, certificates, deploys }: MovedPlatform, step: MoveStep, output: Output): void {
  if (tables.length > 0) {
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const done = step === 'switch' ? 'copied and compared' : 'copied by the switch';
    output.print(`Database: ${rows} rows of ${tables.length} tables, ${done}.`);
  }
  const { segments, leftSegments, openLogs, openBytes } = logs;
  const count = segments.copied + segments.unchanged;
  output.print(
    `Logs: ${count} segments (${formatBytes(segments.copiedBytes + segments.unchangedBytes)}), and the newest lines of ${openLogs} logs (${formatBytes(openBytes)}), which the switch copies.`,
  );
  if (leftSegments > 0) {
    output.warn(`${leftSegments} log segments stay in another bucket, and the target doesn't show them.`);
  }
  if (certificates > 0) output.print(`Certificates: ${certificates}, which the switch puts into the database.`);
  if (deploys.length > 0) output.print(`Unfinished deploys: ${deploys.length}, which go on in the target.`);
}

function nextStep({ place, masterKey }: MovedPlatform, step: MoveStep): string {
  if (step === 'plan') return `Nothing was changed. Run the command without --dry-run to copy the files to ${place}.`;
  if (step === 'copy') {
    return `The files are in ${place}. Stop the server, and run the command again with --switch, which copies what has changed since, and the database.`;
  }
  return `The platform is in ${place} and the database. Start Berth on Kubernetes with the same settings and the master key of ${masterKey}: it rebuilds the deployments. This server doesn't start on its data folder any more.`;
}

function toJson(moved: MovedPlatform) {
  const { tables, volumes, deployments, deploys, logs, certificates, place } = moved;
  return {
    is_switched: moved.isSwitched,
    place,
    tables,
    volumes: volumes.map(({ account, name, isDeleted, from, leftOut, ...objects }) => ({
      ...{ account, name, is_deleted: isDeleted, from, ...toCounts(objects) },
      left_out: leftOut,
    })),
    deployments: deployments.map(({ account, name, revision, becomes, reason, files, sizeBytes, earlier }) => ({
      ...{ account, name, revision, becomes, reason, files, size_bytes: sizeBytes },
      earlier_revisions: earlier,
    })),
    deploys: deploys.map(({ id, deployment }) => ({ id, deployment })),
    logs: {
      segments: toCounts(logs.segments),
      left_segments: logs.leftSegments,
      open_logs: logs.openLogs,
      open_bytes: logs.openBytes,
    },
    certificates,
  };
}

const toCounts = ({
  copied,
  copiedBytes,
  unchanged,
  unchangedBytes,
  removed,
  changing,
}: MovedPlatform['logs']['segments']) => ({
  ...{ copied, copied_bytes: copiedBytes, unchanged, unchanged_bytes: unchangedBytes, removed, changing },
});
