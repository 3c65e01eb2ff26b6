import { spawn } from 'node:child_process';
import type { Engine } from '@berth/runtime-docker';
import { drain } from './drain.ts';

/** An image made from another one by a Dockerfile. */
export interface DerivedImage {
  readonly image: string;
  /** Path of the Dockerfile. */
  readonly dockerfile: string;
  /** Files to copy: name in the build context → absolute path of a local file or folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Values of the Dockerfile's ARGs. */
  readonly args?: Readonly<Record<string, string>>;
}

/** Variables that an engine passes on to a build and keeps out of the image. Source: Dockerfile reference, predefined ARGs. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

/** Builds an image with the network of this machine. */
export async function deriveImage(
  docker: Engine['docker'],
  { image, dockerfile, files, args }: DerivedImage,
): Promise<void> {
  const sources = { Dockerfile: dockerfile, ...files };
  const argv = Object.entries(sources).flatMap(([name, source]) => [
    `--transform=s,^${source.slice(1)},${name},S`,
    source.slice(1),
  ]);
  const context = spawn('tar', ['-C', '/', '-c', '--dereference', ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
  const proxies = PROXIES.flatMap((name) => (process.env[name] ? [[name, process.env[name] as string]] : []));
  const buildargs = { ...Object.fromEntries(proxies), ...args };
  await drain(await docker.buildImage(context.stdout, { t: image, networkmode: 'host', buildargs, rm: true }));
}
