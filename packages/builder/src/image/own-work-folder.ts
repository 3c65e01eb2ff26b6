import { BerthError } from '@berth/kit';
import { packDockerfile } from './pack-context.ts';
import type { ImageSource } from './prepare-image-source.ts';

/** The fields of an image's configuration about its user and WORKDIR. Source: Docker Engine API 1.41, ImageInspect. */
export interface WorkFolderConfig {
  readonly User?: string | undefined;
  readonly WorkingDir?: string | undefined;
  readonly OnBuild?: readonly string[] | null | undefined;
}

/** Options of {@link ownWorkFolder}. */
export interface OwnWorkFolderOptions {
  /** Id of the built image, or a reference that names it. */
  readonly image: string;
  /** The id of the user, and of its group, which the image's program runs as. */
  readonly uid: number;
  readonly config: WorkFolderConfig;
  /** Builds an image within the build's limits. @throws BerthError as `runBuild` does. */
  build(source: ImageSource): Promise<string>;
  readonly say: (line: string) => Promise<void>;
}

const ROOT = /^(root|0)?(:.*)?$/;
/** Matches folders of the system, which must not be given to a service. */
const SYSTEM_FOLDER =
  /^\/((boot|dev|etc|lib|lib64|proc|run|sbin|sys|bin|usr|var)|(usr|var|usr\/local)\/(bin|sbin|lib|local|log|run))?\/*$/;
/** Changes the owner of the folder's entries. For folders of installed packages, which are large and not written to, only that of the folder itself. */
const giveFolder = (uid: number) =>
  `find . -xdev \\( -name node_modules -o -name .venv -o -name venv -o -name vendor \\) -prune -exec chown -h ${uid}:${uid} {} + -o ! -user ${uid} -exec chown -h ${uid}:${uid} {} +`;

/**
 * Adds a build step that makes the service's user the owner of the WORKDIR, if the image has no USER. On other platforms such an image runs
 * as root, so its program may expect to write beside its code. An image with a USER stays unchanged.
 * @returns the id of the image to start. If the step fails, e.g. without a shell or `find`, it is the same image, and `say` gets a warning.
 */
export async function ownWorkFolder({ image, uid, config, build, say }: OwnWorkFolderOptions): Promise<string> {
  const { User = '', WorkingDir = '', OnBuild } = config;
  if (!ROOT.test(User) || SYSTEM_FOLDER.test(WorkingDir || '/')) return image;
  const who = `user ${uid}, which it runs as`;
  const problem = `The image has no USER, and ${WorkingDir} can't be given to ${who}, which can't write there. Add a USER line, and COPY --chown, to the Dockerfile`;
  // ONBUILD triggers would run in the added step.
  if (OnBuild && OnBuild.length > 0) {
    await say(problem);
    return image;
  }
  const text = [`FROM ${image}`, 'USER 0:0', `RUN ${JSON.stringify(['/bin/sh', '-c', giveFolder(uid)])}`].join('\n');
  try {
    const owned = await build({
      ...{ dockerfile: 'Dockerfile', titles: {}, buildArgs: {}, bases: [], digest: '' },
      ...{ release: undefined, lateApplication: undefined, isAgent: false, requiredEnv: [] },
      pack: () => packDockerfile(`${text}\n`),
    });
    await say(`The image has no USER: ${WorkingDir} is given to ${who}`);
    return owned;
  } catch (error) {
    if (!BerthError.is(error, 'build_failed')) throw error;
    await say(problem);
    return image;
  }
}
