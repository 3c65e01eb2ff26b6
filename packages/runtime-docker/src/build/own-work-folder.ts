import { type ImageSource, packDockerfile } from '@berth/builder/image';
import { BerthError } from '@berth/kit';
import { UNPRIVILEGED } from '../run/container-user.ts';

/** The part of an image's configuration that says who its program is and where it starts. Source: Docker Engine API 1.41, ImageInspect. */
export interface WorkFolderConfig {
  readonly User?: string | undefined;
  readonly WorkingDir?: string | undefined;
  readonly OnBuild?: readonly string[] | null | undefined;
}

export interface OwnWorkFolderOptions {
  /** Id of the image that was built. */
  readonly image: string;
  readonly config: WorkFolderConfig;
  /** Builds an image in the bounds of the build. @throws BerthError as `runBuild`. */
  build(source: ImageSource): Promise<string>;
  readonly say: (line: string) => Promise<void>;
}

const ROOT = /^(root|0)?(:.*)?$/;
/** Of the system, and of no service. */
const SYSTEM_FOLDER =
  /^\/((boot|dev|etc|lib|lib64|proc|run|sbin|sys|bin|usr|var)|(usr|var|usr\/local)\/(bin|sbin|lib|local|log|run))?\/*$/;
const OWNER = `${UNPRIVILEGED.uid}:${UNPRIVILEGED.gid}`;
/** Installed packages are large and not written by what runs: their folder is given, and not each of their files a second time. */
const GIVE_FOLDER = `find . -xdev \\( -name node_modules -o -name .venv -o -name venv -o -name vendor \\) -prune -exec chown -h ${OWNER} {} + -o ! -user ${UNPRIVILEGED.uid} -exec chown -h ${OWNER} {} +`;

/**
 * Gives the WORKDIR of an image without a USER to the user that its service runs as, by one more step on top of it: elsewhere such
 * an image is root, and its program writes beside its code. An image with a USER of its own stays as it is.
 * @returns the id of the image to start. Where there is no shell or no `find` in the image, it is the same, and that is said.
 */
export async function ownWorkFolder({ image, config, build, say }: OwnWorkFolderOptions): Promise<string> {
  const { User = '', WorkingDir = '', OnBuild } = config;
  if (!ROOT.test(User) || SYSTEM_FOLDER.test(WorkingDir || '/')) return image;
  const who = `user ${UNPRIVILEGED.uid}, which it runs as`;
  const problem = `The image has no USER, and ${WorkingDir} can't be given to ${who}: it can't write there. Add a USER line, and COPY --chown, to the Dockerfile`;
  // They would run in the step.
  if (OnBuild && OnBuild.length > 0) {
    await say(problem);
    return image;
  }
  const text = [`FROM ${image}`, 'USER 0:0', `RUN ${JSON.stringify(['/bin/sh', '-c', GIVE_FOLDER])}`].join('\n');
  try {
    const owned = await build({
      ...{ dockerfile: 'Dockerfile', titles: {}, buildArgs: {}, bases: [], digest: '' },
      ...{ release: undefined, lateApplication: undefined },
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
