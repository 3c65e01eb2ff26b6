import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { buildPage } from '../web/build-page.ts';
import { emitTypes } from './emit-types.ts';
import { sourceDigest } from './source-digest.ts';
import { libraryFolders, thirdPartyNotices } from './third-party.ts';
import { writeTarball } from './write-tarball.ts';

/** A packed agent library. */
export interface PackedAgent {
  /** Absolute path of the tarball. */
  readonly file: string;
  /** True when the sources have not changed since it was made. */
  readonly isCached: boolean;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  /** Added by owners who want what they do; all are optional. */
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The chat page that an agent serves. */
const PAGE = 'apps/chat';

/** Node whose `node:sqlite` waits for locks and names columns. Source: its changelog, 22.16.0; 22.13.0 was tried and fails. */
const ENGINES = '>=22.16';

/** Number of earlier packages kept in the cache, 4 MB each. */
const KEPT = 10;

/** Large optional libraries that agents install themselves. */
const ADDED_BY_OWNERS = /^pdfjs-dist$/;

/** Native libraries, which can't be bundled, and OpenTelemetry's API, which a program and its libraries have to share. */
const STAYS_OUTSIDE = /^(@resvg\/|@opentelemetry\/api$)/;

/**
 * Creates `berth-agent-<version>.tgz` in `outFolder`: the agent library as JavaScript with types, for Node 22 and later, bundled with the
 * workspace packages and most libraries. Libraries that its types mention stay dependencies, so that an agent's own schemas have the same
 * types, and so do native ones. Nothing is downloaded.
 * @throws Error when a source can't be read or a library is missing
 */
export async function packAgent(root: string, outFolder: string): Promise<PackedAgent> {
  const manifest = readManifest(root, 'agent');
  const own = ownPackages(root, 'agent');
  const name = `berth-agent-${manifest.version}.tgz`;
  const digest = sourceDigest(root, [
    ...own.flatMap((one) => [`packages/${one}/src/**`, `packages/${one}/assets/**`, `packages/${one}/package.json`]),
    'tools/pack-agent/*.ts',
    `${PAGE}/{src/**,index.html,package.json}`,
    'packages/{ui,client}/src/**',
    'tools/web/*.ts',
    'package-lock.json',
  ]);
  const cache = path.join(root, 'node_modules/.cache/berth-agent', digest.slice(0, 16));
  const packed = path.join(cache, name);
  const isCached = existsSync(packed);
  if (!isCached) {
    const stage = `${cache}.${process.pid}`;
    try {
      await build({ root, manifest, stage, packed });
    } finally {
      rmSync(stage, { recursive: true, force: true });
    }
    forgetOld(path.dirname(cache));
  }
  mkdirSync(outFolder, { recursive: true });
  const file = path.join(outFolder, name);
  copyFileSync(packed, `${file}.part`);
  renameSync(`${file}.part`, file);
  return { file, isCached };
}

/** Removes old packages from the cache. The newest are kept, because another process may be creating one. */
function forgetOld(folder: string): void {
  const madeAtMs = (name: string) => statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const old = readdirSync(folder)
    .sort((a, b) => madeAtMs(b) - madeAtMs(a))
    .slice(KEPT);
  for (const name of old) rmSync(path.join(folder, name), { recursive: true, force: true });
}

interface BuildOptions {
  readonly root: string;
  readonly manifest: Manifest;
  /** Absolute path of a folder for intermediate files. */
  readonly stage: string;
  readonly packed: string;
}

async function build({ root, manifest, stage, packed }: BuildOptions): Promise<void> {
  const content = path.join(stage, 'package');
  mkdirSync(content, { recursive: true });
  const entries = entriesOf(manifest);
  const types = path.join(content, 'types');
  const own = ownPackages(root, 'agent');
  const { libraries } = await emitTypes({
    root,
    packages: own,
    entries: entries.map(([, source]) => path.join('packages/agent', source)),
    folder: types,
  });
  rmSync(`${types}.tsconfig.json`);
  const dependencies = versionsOf(
    root,
    own,
    (name) => STAYS_OUTSIDE.test(name) || libraries.some((one) => isOf(one, name)),
  );
  const folder = path.join(content, 'dist');
  const added = Object.entries(versionsOf(root, own, (name) => ADDED_BY_OWNERS.test(name)));
  const peers = {
    ...Object.fromEntries(added.map(([name, version]) => [name, `^${version}`])),
    ...manifest.peerDependencies,
  };
  const external = Object.keys({ ...dependencies, ...peers });
  const modules = await bundle({ root, manifest, folder, dependencies: external });
  writeFileSync(
    path.join(content, 'THIRD-PARTY.txt'),
    thirdPartyNotices(modules, libraryFolders(root, [PAGE, 'packages/ui'])),
  );
  const assets = path.join(root, 'packages/agent/assets');
  if (existsSync(assets)) cpSync(assets, path.join(content, 'assets'), { recursive: true });
  await buildPage(root, PAGE);
  cpSync(path.join(root, PAGE, 'dist'), path.join(content, 'assets/chat'), { recursive: true });
  copyFileSync(path.join(root, 'LICENSE'), path.join(content, 'LICENSE'));
  const readme = path.join(root, 'packages/agent/README.md');
  if (existsSync(readme)) copyFileSync(readme, path.join(content, 'README.md'));
  const { name, version, description, license } = manifest;
  const published = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: ENGINES },
    exports: {
      ...Object.fromEntries(
        entries.map(([key, source]) => [
          key,
          {
            types: `./types/agent/${source.replace(/^\.\//, '').replace(/\.ts$/, '.d.ts')}`,
            default: `./dist/${outputName(key)}.js`,
          },
        ]),
      ),
      ...(existsSync(assets) ? { './assets/*': './assets/*' } : {}),
    },
    dependencies,
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((name) => [name, { optional: true }])),
  };
  writeFileSync(path.join(content, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  await writeTarball(stage, path.join(stage, path.basename(packed)));
  mkdirSync(path.dirname(packed), { recursive: true });
  renameSync(path.join(stage, path.basename(packed)), packed);
}

interface BundleOptions {
  readonly root: string;
  readonly manifest: Manifest;
  readonly folder: string;
  readonly dependencies: readonly string[];
}

/** Bundles the files. @returns the paths of the modules in them */
async function bundle({ root, manifest, folder, dependencies }: BundleOptions): Promise<string[]> {
  const entries = entriesOf(manifest);
  const build = await rolldown({
    input: Object.fromEntries(
      entries.map(([key, source]) => [outputName(key), path.join(root, 'packages/agent', source)]),
    ),
    platform: 'node',
    external: (id) =>
      id.startsWith('node:') || builtinModules.includes(id) || dependencies.some((name) => isOf(id, name)),
    transform: { target: 'node22' },
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[hash].js',
  });
  await build.close();
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/** Returns the versions of the libraries of the workspace packages that `isWanted` accepts: the range of the manifest, else the exact one. */
function versionsOf(root: string, own: readonly string[], isWanted: (name: string) => boolean): Record<string, string> {
  const all = new Map(own.flatMap((one) => Object.entries(readManifest(root, one).dependencies)));
  const names = [...all.keys()].filter((name) => !name.startsWith('@berth/') && isWanted(name)).sort();
  return Object.fromEntries(
    names.map((name) => {
      const declared = all.get(name);
      if (declared?.startsWith('^')) return [name, declared];
      const manifest = readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8');
      return [name, (JSON.parse(manifest) as Manifest).version];
    }),
  );
}

/** Returns the package `name` and every workspace package it depends on, directly or not, by folder name. */
function ownPackages(root: string, name: string, found = new Set<string>()): string[] {
  found.add(name);
  for (const dependency of Object.keys(readManifest(root, name).dependencies)) {
    const one = dependency.startsWith('@berth/') ? dependency.slice('@berth/'.length) : undefined;
    if (one && !found.has(one)) ownPackages(root, one, found);
  }
  return [...found].sort();
}

/** Inside the repo the entry for tests also has fixtures of our own, which need development dependencies. */
const PACKED_TESTING = './src/testing/public.ts';

/** Returns the exports that are programs or libraries, without copied files. */
function entriesOf({ exports }: Manifest): (readonly [key: string, source: string])[] {
  return Object.entries(exports)
    .filter(([, source]) => source.endsWith('.ts'))
    .map(([key, source]) => [key, key === './testing' ? PACKED_TESTING : source]);
}

function readManifest(root: string, name: string): Manifest {
  return JSON.parse(readFileSync(path.join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}

function isOf(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`);
}

function outputName(key: string): string {
  return key === '.' ? 'index' : key.slice(2).replaceAll('/', '-');
}
