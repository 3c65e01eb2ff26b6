import { formatBytes } from '../output/format-bytes.ts';
import type { CheckedBackup, ListedBucket } from './extract-backup.ts';

/** Something that the platform needs and a backup doesn't contain. */
export type LeftOut = ({ readonly kind: 'bucket' } & ListedBucket) | { readonly kind: 'master_key' };

/** Returns what a backup leaves out, with a sentence on how to back that up. */
export function describeLeftOut(
  backup: Pick<CheckedBackup, 'buckets' | 'manifest'> | undefined,
): readonly { readonly item: LeftOut; readonly sentence: string }[] {
  if (!backup) return [];
  const buckets = backup.buckets.map((listed) => ({
    item: { kind: 'bucket', ...listed } as const,
    sentence: `Not in the backup: ${listed.objects} objects (${formatBytes(listed.size_bytes)}) in the bucket ${listed.bucket}. The backup lists them; back up the bucket itself, see docs/guides/disaster-recovery.md.`,
  }));
  if (backup.manifest.has_master_key !== false) return buckets;
  const sentence =
    "Not in the backup: the master key, which is kept outside the data folder. Without the key, secrets in the backup can't be decrypted.";
  return [...buckets, { item: { kind: 'master_key' }, sentence }];
}
