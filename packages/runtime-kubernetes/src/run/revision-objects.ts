import { createHash } from 'node:crypto';
import { createSingleFlight } from '@berth/kit';
import type { V1ConfigMap, V1OwnerReference, V1Secret } from '@kubernetes/client-node';
import { ignoreStatus, type Kube } from '../api/kube.ts';
import { DEPLOYMENT_LABEL, ofPlatform, revisionLabels, revisionName, toLabelValue } from '../pod/names.ts';
import type { ImageSpec, RevisionReferences } from '../pod/pod-spec.ts';

/**
 * The objects that all Pods of a revision refer to: a ConfigMap that owns them, so that tools of the cluster treat the Pods as controlled and
 * the deletion of the ConfigMap removes everything of the revision; and a Secret for each environment that the revision has had.
 */
export interface RevisionObjects {
  ensure(spec: ImageSpec, namespace: string): Promise<RevisionReferences>;
  /** Makes sure of the objects in a namespace again at their next use. */
  forget(namespace: string): void;
  /** Deletes the objects of a deployment, with all its Pods. Idempotent. */
  remove(namespace: string, deployment: string): Promise<void>;
}

/** Environments whose Secrets are remembered. */
const REMEMBERED = 10_000;

export function createRevisionObjects(kube: Kube, platformId: string): RevisionObjects {
  const known = new Map<string, RevisionReferences>();
  const flights = createSingleFlight<RevisionReferences>();
  const forget = (namespace: string) => {
    for (const key of known.keys()) if (key.startsWith(`${namespace}/`)) known.delete(key);
  };
  return {
    forget,
    async ensure(spec, namespace) {
      const environment = environmentName(spec);
      const key = `${namespace}/${environment}`;
      const found = known.get(key);
      if (found) return found;
      return flights.run(key, async () => {
        const owner = await applyOwner(kube, platformId, spec, namespace);
        await kube.core
          .createNamespacedSecret({ namespace, body: secretOf(platformId, spec, namespace, environment, owner) })
          // It is there, with the same content, which its name has the digest of.
          .catch(ignoreStatus(409));
        const references = { owner, environment };
        known.set(key, references);
        for (const oldest of known.keys()) {
          if (known.size <= REMEMBERED) break;
          known.delete(oldest);
        }
        return references;
      });
    },
    async remove(namespace, deployment) {
      forget(namespace);
      const labelSelector = `${ofPlatform(platformId)},${DEPLOYMENT_LABEL}=${toLabelValue(deployment)}`;
      // The Secrets and the Pods follow their owner.
      await kube.core
        .deleteCollectionNamespacedConfigMap({ namespace, labelSelector, propagationPolicy: 'Background' })
        .catch(ignoreStatus(404));
    },
  };
}

async function applyOwner(
  kube: Kube,
  platformId: string,
  spec: ImageSpec,
  namespace: string,
): Promise<V1OwnerReference> {
  const name = revisionName(spec);
  const { metadata } = await kube.apply<V1ConfigMap>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: revisionLabels(platformId, spec) },
    data: { image: spec.artifact.reference },
  });
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata?.uid ?? '', controller: true };
}

function environmentName(spec: ImageSpec): string {
  const digest = createHash('sha256').update(JSON.stringify(spec.env)).digest('hex').slice(0, 12);
  return `${revisionName(spec).slice(0, 50).replace(/-+$/, '')}-${digest}`;
}

function secretOf(
  platformId: string,
  spec: ImageSpec,
  namespace: string,
  name: string,
  owner: V1OwnerReference,
): V1Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: revisionLabels(platformId, spec),
      // Owned, but not controlled: only Pods have a controller.
      ownerReferences: [{ ...owner, controller: false }],
    },
    immutable: true,
    stringData: { ...spec.env },
  };
}
