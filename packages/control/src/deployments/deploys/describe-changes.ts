import type { DeploySettings, Schedule } from '@berth/contract';

/** The changes of a deploy besides the program. */
export interface DeployChanges {
  /** True for a deploy, whose form declares all settings. Otherwise only differences are reported. */
  readonly isDeclared: boolean;
  readonly settings: DeploySettings;
  /** True for a revision without traffic, whose schedule isn't set. False by default. */
  readonly hasNoTraffic?: boolean;
  /** The settings of the serving revision; null when none serves. */
  readonly previous: DeploySettings | null;
  /** Names of new volumes. */
  readonly createdVolumes: readonly string[];
  /** False when the runtime doesn't mount volumes at their mount paths. */
  readonly areMountsSure: boolean;
}

/** Returns the messages about a deploy's changes besides the program. Source: docs/contract/control-plane.md §2. */
export function describeChanges(input: DeployChanges): string[] {
  const { isDeclared, settings, previous, createdVolumes, areMountsSure, hasNoTraffic = false } = input;
  const { cpu, cpuRaisedFrom, memory, schedule } = settings;
  const sentences: string[] = [];
  if (cpuRaisedFrom !== null && (isDeclared || (previous !== null && previous.cpu !== cpu))) {
    sentences.push(`CPU raised from ${cpuRaisedFrom} to ${cpu}: ${memory} of memory requires it.`);
  }
  for (const name of createdVolumes) sentences.push(`Volume created: ${name}`);
  if (!areMountsSure && settings.volumes.length > 0) {
    sentences.push("This server has no sandbox to mount volumes in. Read each volume's path from BERTH_VOLUMES.");
  }
  if (hasNoTraffic) return sentences;
  if (schedule && (isDeclared || !isSame(schedule, previous?.schedule))) {
    sentences.push(`Schedule set: ${schedule.cron} (${schedule.timezone})`);
  } else if (!schedule && previous?.schedule) {
    sentences.push(`Schedule removed: ${previous.schedule.cron} (${previous.schedule.timezone})`);
  }
  return sentences;
}

function isSame(one: Schedule, other: Schedule | null | undefined): boolean {
  return one.cron === other?.cron && one.timezone === other.timezone;
}
