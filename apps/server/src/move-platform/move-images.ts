import { BerthError } from '@berth/kit';
import type { Artifact, ImageArtifact } from '@berth/runtime';
import type { Config } from '../config/read-config.ts';
import type { MovePass } from './move-pass.ts';

/** The images of revisions, as the target has them. */
export interface MovedImages {
  /** Returns the artifact in the target; undefined for one that the target can't start. In a plan, that of this machine. */
  adopt(artifact: Artifact): Artifact | undefined;
  /** Returns why an image can't be started in the target. */
  problemOf(artifact: ImageArtifact): string;
}

/** Pushes the images of this machine's container engine to the registry of the target. */
export async function moveImages(pass: MovePass): Promise<MovedImages> {
  const { source, target, journal, isDryRun } = pass;
  const { registry } = target.config;
  const rows = await source.db
    .selectFrom('revisions')
    .select(['account_id as account', 'deployment', 'revision', 'artifact'])
    .where('artifact', 'is not', null)
    .orderBy('deployment')
    .execute();
  const images = rows.flatMap(({ artifact: text, ...row }) => {
    const artifact = JSON.parse(text ?? 'null') as Artifact;
    return artifact.kind === 'image' && !isInRegistry(artifact, registry) ? [{ ...row, artifact }] : [];
  });
  const moved = new Map<string, ImageArtifact>();
  const keyOf = ({ name, reference }: ImageArtifact) => `${name} ${reference}`;
  const adopt = (artifact: Artifact) => {
    if (artifact.kind !== 'image') return undefined;
    return isInRegistry(artifact, registry) ? artifact : moved.get(keyOf(artifact));
  };
  if (registry === undefined) {
    const problemOf = () => 'its image has to be pushed: set BERTH_REGISTRY to the registry of the cluster';
    return { adopt, problemOf };
  }
  let problem = 'the container engine of this machine does not have its image; deploy it again';
  if (images.length > 0) {
    // A large module that the process runtime doesn't need.
    const { hasImage, openEngine, parseEngineAddress, pushImage } = await import('@berth/runtime-docker');
    const engine = await openEngine(parseEngineAddress(pass.engineAddress)).catch((error: unknown) => {
      if (!BerthError.is(error)) throw error;
      problem = `the container engine with its image does not answer (${error.message}); start it, or deploy it again`;
      return undefined;
    });
    for (const { account, deployment, revision, artifact } of engine ? images : []) {
      if (engine === undefined || moved.has(keyOf(artifact))) continue;
      const known = journal.findImage(keyOf(artifact));
      if (known !== undefined && isInRegistry(known, registry)) {
        moved.set(keyOf(artifact), known);
        continue;
      }
      if (!(await hasImage(engine, artifact))) continue;
      if (isDryRun) {
        moved.set(keyOf(artifact), artifact);
        continue;
      }
      pass.onProgress({ kind: 'image', name: revision, sizeBytes: 0 });
      const repository = `${placeOf(registry)}/${account.toLowerCase()}/${deployment}`;
      const credentials = credentialsOf(target.config);
      const pushed = await pushImage(engine, artifact, { repository, tag: revision, credentials });
      journal.noteImage(keyOf(artifact), pushed);
      moved.set(keyOf(artifact), pushed);
    }
  }
  return { adopt, problemOf: () => problem };
}

/** Returns whether an image is in a registry that the nodes of the target pull from. */
export function isInRegistry(artifact: Artifact, registry: string | undefined): boolean {
  return artifact.kind === 'image' && registry !== undefined && artifact.reference.startsWith(`${placeOf(registry)}/`);
}

/** Host and path of a registry's URL, as in references. */
function placeOf(registry: string): string {
  const { host, pathname } = new URL(registry);
  return `${host}${pathname.replace(/\/$/, '')}`;
}

function credentialsOf({ registryUsername: username, registryPassword: password = '' }: Config) {
  return username === undefined ? undefined : { username, password };
}
