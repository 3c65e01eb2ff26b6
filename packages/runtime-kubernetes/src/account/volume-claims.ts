import { createError } from '@berth/contract';
import type { V1PersistentVolume, V1PersistentVolumeClaim } from '@kubernetes/client-node';
import type { Kube } from '../api/kube.ts';
import { ACCOUNT_CLAIM, namespaceLabels } from '../pod/names.ts';

/** The claim with the platform's volumes, which the storage listener reads. */
export interface VolumeSource {
  readonly namespace: string;
  readonly claim: string;
}

/**
 * Makes a claim in an account's namespace for the storage behind the platform's own claim, because Pods mount claims of their own namespace
 * only: a second PersistentVolume of the same storage. Each Pod sees the folders of its volumes alone, by their sub-paths.
 * @throws BerthError `start_failed` when the platform's claim has no storage that several nodes can write
 */
export async function ensureVolumeClaim(
  kube: Kube,
  { namespace: from, claim }: VolumeSource,
  platformId: string,
  { account, namespace }: { readonly account: string; readonly namespace: string },
): Promise<void> {
  const own = await kube.core.readNamespacedPersistentVolumeClaim({ namespace: from, name: claim });
  const { volumeName, resources } = own.spec ?? {};
  if (volumeName === undefined) {
    throw createError('start_failed', `Volumes can't be mounted yet: the claim ${from}/${claim} has no storage.`);
  }
  const { spec } = await kube.core.readPersistentVolume({ name: volumeName });
  if (!spec?.accessModes?.includes('ReadWriteMany')) {
    throw createError(
      'start_failed',
      `Volumes can't be mounted: the storage of ${from}/${claim} is not ReadWriteMany. Use a storage class that is.`,
    );
  }
  const labels = namespaceLabels(platformId, account);
  const name = `${namespace}-volumes`;
  const { claimRef: _, volumeAttributesClassName: __, ...source } = spec;
  await kube.apply<V1PersistentVolume>({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels },
    spec: {
      ...source,
      // No one but this claim may have it, and its end deletes nothing of what all accounts share.
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: ACCOUNT_CLAIM },
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: '',
    },
  });
  await kube.apply<V1PersistentVolumeClaim>({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: ACCOUNT_CLAIM, namespace, labels },
    spec: {
      accessModes: ['ReadWriteMany'],
      storageClassName: '',
      volumeName: name,
      resources: { requests: { storage: resources?.requests?.['storage'] ?? '1Gi' } },
    },
  });
}
