import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createError } from '@berth/contract/errors';
import { isFresh } from '../../bin/is-fresh.js';

/** The npm package of the server. */
const PACKAGE = 'berth-server';

/** The server of the repository or of the image. */
const BESIDE = fileURLToPath(new URL('../../../server', import.meta.url));

/** Options of Node for the server: its heap grows in small steps, and an idle server collects garbage. Those of `npm start`. */
export const SERVER_NODE_OPTIONS = ['--min-semi-space-size=8', '--max-semi-space-size=16', '--expose-gc'] as const;

/** The first major version of Node that runs the server. */
const NODE_MAJOR = 24;

/** The server that is installed on this machine. */
export interface InstalledServer {
  readonly version: string;
  /** Absolute path of the Node that runs it. */
  readonly node: string;
  /** Absolute path of the program that starts it. */
  readonly main: string;
  /** Returns the absolute path of one of its other programs, by the path of its source. */
  program(source: string): string;
}

/**
 * Returns the server of this repository, else the one of the package `berth-server` beside this command line.
 * @throws BerthError `unavailable` when there is none, or no Node that runs it
 */
export function findServer(): InstalledServer {
  const folder = existsSync(path.join(BESIDE, 'package.json')) ? BESIDE : findPackage();
  const sources = path.join(folder, 'src');
  const dist = path.join(folder, 'dist');
  const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
  return {
    version,
    node: findNode(folder),
    main: path.join(isFresh(dist) ? dist : sources, isFresh(dist) ? 'main.js' : 'main.ts'),
    program: (source) =>
      existsSync(sources) ? path.join(sources, source) : path.join(dist, `${path.basename(source, '.ts')}.js`),
  };
}

function findPackage(): string {
  try {
    return path.dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/apps/server/package.json`));
  } catch (cause) {
    const message = `The server isn't installed beside this command line. Run \`npm install ${PACKAGE}\` (with -g if you installed berth-cli with -g), then try again.`;
    throw createError('unavailable', message, { cause });
  }
}

/** Returns the Node that the package of the server depends on, else the one that runs this. */
function findNode(folder: string): string {
  try {
    const name = `node-${process.platform}-${process.arch}`;
    return createRequire(path.join(folder, 'package.json')).resolve(`${name}/bin/node`);
  } catch {
    if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath;
    const message = `The server needs Node ${NODE_MAJOR} or later, and this is Node ${process.versions.node}. Install a newer one from https://nodejs.org.`;
    throw createError('unavailable', message);
  }
}
