import type { VolumeTarget } from '@berth/client';
import type { Deployment } from '@berth/contract';
import { confirmLoss } from '../command/confirm-loss.ts';
import type { Context } from '../command/context.ts';
import { UsageError } from '../errors/usage-error.ts';
import type { SettingOptions } from './deploy-options.ts';

/** Volumes by mount path. */
export type Volumes = Readonly<Record<string, VolumeTarget>>;

/** Returns true when a flag is about volumes. */
export function hasVolumeFlags({ volume, volumes }: SettingOptions): boolean {
  return volume !== undefined || volumes !== undefined;
}

/**
 * Applies the flags to the volumes in `base`. `--volume` adds a mount path or replaces its volume; `--no-volume` and `--volumes` detach
 * all others.
 * @throws UsageError for a flag that can't be read
 */
export function mergeVolumes(base: Volumes, { volume = [], volumes }: SettingOptions): Record<string, VolumeTarget> {
  const isKept = volumes === undefined && !volume.includes(false);
  const flags: (readonly [string, VolumeTarget])[] = volumes === undefined ? [] : parseVolumesJson(volumes);
  for (const text of volume) if (text !== false) flags.push(parseVolumeFlag(text));
  // A Map, because `__proto__` is a path like any other until the contract refuses it.
  const named = new Map<string, VolumeTarget>();
  for (const [mountPath, target] of flags) {
    if (named.has(mountPath)) throw new UsageError(`--volume: ${mountPath} is given twice`);
    named.set(mountPath, target);
  }
  return Object.fromEntries([...(isKept ? Object.entries(base) : []), ...named]);
}

/** Returns the mounts that `volumes` would detach, one sentence each. Their data is kept. */
export function findDetached(before: Deployment['volumes'], volumes: Volumes): string[] {
  return Object.entries(before).flatMap(([mountPath, mount]) => {
    const target = volumes[mountPath];
    const after = typeof target === 'string' ? { name: target } : target;
    if (after === undefined) return [`Volume ${describe(mount)} is detached from ${mountPath}; its data is kept.`];
    if (after.name === mount.name && (after.sub_path ?? '') === mount.sub_path) return [];
    return [
      `Volume ${describe(after)} replaces ${describe(mount)} at ${mountPath}; the data of ${mount.name} is kept.`,
    ];
  });
}

/** Asks before a deploy that detaches volumes; returns false when the answer is no. @throws UsageError as {@link confirmLoss} does */
export async function confirmDetach(
  before: Deployment['volumes'],
  volumes: Volumes,
  options: { readonly yes?: boolean },
  context: Pick<Context, 'output' | 'prompts'>,
): Promise<boolean> {
  const effects = findDetached(before, volumes);
  if (effects.length === 0) return true;
  return confirmLoss({ effects, question: 'Deploy without these volumes?' }, options, context);
}

function describe({ name, sub_path }: { readonly name: string; readonly sub_path?: string | undefined }): string {
  return sub_path ? `${name}/${sub_path}` : name;
}

function parseVolumesJson(text: string): [string, VolumeTarget][] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
  } catch {
    // Reported below, together with JSON of another kind.
  }
  throw new UsageError('--volumes: write a JSON object of mount paths, such as {"/data":"my-data"}');
}

/**
 * Parses `--volume /path=name[:ro][:sub/path]`. `:rw` may replace `:ro`, for a sub path named `ro`. Names and paths are validated with the
 * rest of the form.
 * @throws UsageError for text in another format
 */
export function parseVolumeFlag(text: string): readonly [mountPath: string, target: VolumeTarget] {
  const at = text.indexOf('=');
  const [name = '', ...rest] = at === -1 ? [] : text.slice(at + 1).split(':');
  if (at < 1 || name === '') {
    throw new UsageError(`--volume: "${text}" is not /path=name, /path=name:ro or /path=name:sub/path`);
  }
  const mode = rest[0] === 'ro' || rest[0] === 'rw' ? rest.shift() : undefined;
  const subPath = rest.join(':');
  const target =
    mode !== 'ro' && subPath === ''
      ? name
      : { name, ...(mode === 'ro' ? { read_only: true } : {}), ...(subPath === '' ? {} : { sub_path: subPath }) };
  return [text.slice(0, at), target];
}
