import { createError } from '@berth/contract';
import { subset } from 'semver';
import type { ProjectFiles } from '../../plan/project-files.ts';
import { highestIn, isInRange, parseRange, type VersionWish } from '../../plan/version-range.ts';
import type { NodeProject } from './package-json.ts';
import { pinnedVersion } from './package-manager.ts';

/** Names of Node's LTS releases: 4, 6, 8 and so on. Source: https://github.com/nodejs/Release. */
const LTS_NAMES = 'argon boron carbon dubnium erbium fermium gallium hydrogen iron jod krypton'.split(' ');
/** Files of version managers (nodenv and others, nvm), in order of precedence. */
const VERSION_FILES = ['.node-version', '.nvmrc'];
/** The npm major that runs on each Node major and later. Source: `engines.node` of npm 6, 8, 9, 10 and 11. */
const NPM_OF_NODE = [
  [23, 11],
  [20, 10],
  [18, 9],
  [12, 8],
  [0, 6],
] as const;
/** Candidate majors, enough for some years. The registry decides whether a version exists. */
const MAJORS = Array.from({ length: 60 }, (_, major) => major);

/** The Node version for a project. */
export interface NodeChoice {
  /** npm packages to install: Node, and an npm that runs on it. Empty if the server's Node is suitable. */
  readonly packages: readonly string[];
  /** Error message if the registry has no such Node. */
  readonly missing: string;
  readonly notices: readonly string[];
}

/**
 * Returns the server's Node if it is in the range that the project requests, otherwise one from the npm registry.
 * @throws BerthError `build_failed` if a file requests an invalid version.
 */
export async function chooseNode({ files, programs, manifest }: NodeProject): Promise<NodeChoice> {
  const installed = await programs.versionOf('node');
  const engines = manifest.engines.node;
  const wish =
    (await readVersionFile(files, installed)) ??
    toWish(manifest.volta?.node, '"volta.node" of package.json', installed) ??
    toWish(engines, '"engines.node" of package.json', installed);
  const own = { packages: [], missing: '', notices: [] };
  if (wish === undefined || wish.range === '*') return own;

  const range = engines === undefined ? undefined : parseRange(engines);
  const isContradicted = range !== undefined && !subset(wish.range, range);
  const notices = isContradicted
    ? [`${wish.source} (${wish.text}) decides the version of Node.js, not "engines.node" (${engines}).`]
    : [];
  if (installed === undefined) {
    return {
      ...own,
      notices: [...notices, `${wish.source} asks for Node.js ${wish.text}; using the installed version.`],
    };
  }
  if (isInRange(installed, wish.range)) return { ...own, notices };
  const major = highestIn(wish.range, MAJORS) ?? MAJORS.length;
  const npm = NPM_OF_NODE.find(([from]) => major >= from)?.[1];
  return {
    packages: [`node-${programs.platform}@${wish.range}`, `npm@${pinnedVersion('npm', manifest) ?? npm}`],
    missing: `${wish.source} asks for Node.js ${wish.text}, and the npm registry has none for ${programs.platform}. This server has Node.js ${installed}; use that version or one from https://nodejs.org/en/about/previous-releases.`,
    notices: [
      ...notices,
      `${wish.source} asks for Node.js ${wish.text}; this server has ${installed}: installing it with npm.`,
    ],
  };
}

async function readVersionFile(files: ProjectFiles, installed: string | undefined): Promise<VersionWish | undefined> {
  for (const name of VERSION_FILES) {
    const lines = ((await files.readText(name)) ?? '').split(/\r?\n/).map((line) => line.replace(/#.*$/, '').trim());
    const wish = toWish(
      lines.find((line) => line !== ''),
      name,
      installed,
    );
    if (wish !== undefined) return wish;
  }
  return undefined;
}

/**
 * Parses the version syntax of nvm and npm. Sources: nvm's README, "Usage";
 * https://docs.npmjs.com/cli/v11/configuring-npm/package-json#engines.
 */
function toWish(text: string | undefined, source: string, installed: string | undefined): VersionWish | undefined {
  if (text === undefined) return undefined;
  const name = text.toLowerCase();
  const [, release] = /^lts\/(.*)$/.exec(name) ?? [];
  const lts = LTS_NAMES.indexOf(release ?? '');
  if (lts >= 0) return { text, source, range: `${4 + 2 * lts}.x` };
  if (['node', 'stable', 'current', 'latest', 'system'].includes(name)) return { text, source, range: '*' };
  if (release === '*' || name === 'lts') return { text, source, range: ltsRange(installed) };
  const range = parseRange(name.replace(/^v(?=\d)/, ''));
  if (range !== undefined) return { text, source, range };
  throw createError(
    'build_failed',
    `${source} asks for Node.js "${text}", which is not a valid version. Use a version such as 24, 24.1.0 or lts/krypton.`,
  );
}

/**
 * Returns the newest LTS range up to the server's version. Even majors have long-term support. Source:
 * https://github.com/nodejs/Release.
 */
function ltsRange(installed: string | undefined): string {
  const major = Number(installed?.split('.')[0] ?? 0);
  return major === 0 ? '*' : `${major - (major % 2)}.x`;
}
