import { createError } from '@berth/contract';
import type { ImageArtifact } from '@berth/runtime';
import { engineStatus } from '../engine/engine-errors.ts';
import type { Engine } from '../engine/open-engine.ts';
import { readJsonLines } from '../engine/read-json-lines.ts';

/** Where an image is pushed. */
export interface PushTarget {
  /** Registry and repository, e.g. `registry.example.com/berth/acc_1/shop`. */
  readonly repository: string;
  readonly tag: string;
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
}

/** A line of a push. Source: Docker Engine API 1.41, ImagePush. */
interface PushLine {
  readonly aux?: { readonly Digest?: string };
  readonly error?: string;
}

/** Returns whether an engine has the image of an artifact. @throws BerthError `unavailable` when the engine doesn't answer */
export async function hasImage(engine: Engine, { reference }: ImageArtifact): Promise<boolean> {
  const found = await engine
    .call(() => engine.docker.getImage(reference).inspect())
    .catch((error: unknown) => {
      if (engineStatus(error) === 404) return undefined;
      throw error;
    });
  return found !== undefined;
}

/**
 * Pushes the image of an artifact to a registry. Returns the artifact as the nodes of a cluster start it. Layers that the registry has are
 * not sent again.
 * @throws BerthError `unavailable` with the engine's reason
 */
export async function pushImage(engine: Engine, artifact: ImageArtifact, target: PushTarget): Promise<ImageArtifact> {
  const { repository, tag, credentials } = target;
  const name = `${repository}:${tag}`;
  const image = engine.docker.getImage(artifact.reference);
  const { Config: config, RepoTags: names = [] } = await engine.call(() => image.inspect());
  await engine.call(() => image.tag({ repo: repository, tag }));
  try {
    const stream = await engine.call(() =>
      // The engine refuses a push without the header, also to a registry that asks for nothing.
      engine.docker.getImage(name).push({ authconfig: toAuth(repository, credentials) }),
    );
    let digest: string | undefined;
    for await (const line of readJsonLines<PushLine>(stream as AsyncIterable<Uint8Array>)) {
      if (line.error !== undefined) throw refused(name, line.error);
      digest = line.aux?.Digest ?? digest;
    }
    if (digest === undefined) throw refused(name, 'It printed no digest.');
    const user = artifact.user ?? toUser(config.User);
    const { stored: _, ...rest } = artifact;
    return { ...rest, name, reference: `${repository}@${digest}`, ...(user && { user }) };
  } finally {
    // With its last name, the engine would remove the image itself.
    const hasOther = names.some((one) => one !== name);
    if (hasOther) await engine.call(() => engine.docker.getImage(name).remove({ noprune: true })).catch(() => {});
  }
}

const toAuth = (repository: string, { username, password } = { username: '', password: '' }) => ({
  ...{ username, password },
  serveraddress: repository.slice(0, repository.indexOf('/')),
});

const refused = (name: string, reason: string) =>
  createError('unavailable', `The container engine couldn't push ${name}: ${reason}`);

/** Returns a user that is given by numbers; undefined for root and for names. */
function toUser(text = ''): ImageArtifact['user'] {
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (uid === undefined || Number(uid) === 0) return undefined;
  return { uid: Number(uid), gid: Number(gid ?? uid) };
}
