import { copyFileSync, cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SOURCES_FILE } from '../../apps/cli/bin/is-fresh.js';
import { packAgent } from '../pack-agent/pack-agent.ts';
import { libraryFolders, thirdPartyNotices } from '../pack-agent/third-party.ts';
import { writeTarball } from '../pack-agent/write-tarball.ts';
import { buildPage } from '../web/build-page.ts';
import { bundleProgram } from '../web/bundle-program.ts';
import { PACKAGES, type PublishedPackage } from './packages.ts';

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** The repository that npm's provenance statement has to name; a release sets it. */
  readonly repository?: { readonly url: string };
}

/**
 * Writes the packages of Berth as npm tarballs, `<name>-<version>.tgz`, to `outFolder` and returns their paths. Nothing is downloaded, and
 * the same sources give the same bytes.
 * @throws Error when a source can't be read or a program doesn't compile
 */
export async function packBerth(root: string, outFolder: string): Promise<readonly string[]> {
  const { version } = readManifest(root, '.');
  mkdirSync(outFolder, { recursive: true });
  const stage = mkdtempSync(path.join(tmpdir(), 'berth-pack-'));
  try {
    const library = await packAgent(root, path.join(stage, 'library'));
    const packed: string[] = [];
    for (const one of PACKAGES) {
      const folder = path.join(stage, one.name);
      await writePackage({ root, one, version, library: library.file, content: path.join(folder, 'package') });
      const file = path.join(outFolder, `${one.name}-${version}.tgz`);
      await writeTarball(folder, file);
      packed.push(file);
    }
    return packed;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

interface WritePackageOptions {
  readonly root: string;
  readonly one: PublishedPackage;
  readonly version: string;
  /** Path of the packed agent library. */
  readonly library: string;
  /** Absolute path of the package's folder. */
  readonly content: string;
}

async function writePackage({ root, one, version, library, content }: WritePackageOptions): Promise<void> {
  const { workspace, target, files, pages } = one;
  const programs = globSync([...one.programs], { cwd: path.join(root, workspace, 'src') }).sort();
  const bundle = await bundleProgram(root, workspace, { programs, ...(target === undefined ? {} : { target }) });
  const dist = path.join(content, workspace, 'dist');
  mkdirSync(dist, { recursive: true });
  for (const [name, code] of bundle.files) writeFileSync(path.join(dist, name), code);
  // The sources of a published bundle don't change.
  writeFileSync(path.join(dist, SOURCES_FILE), '{}');
  for (const file of globSync([...files], { cwd: root })) {
    const isSource = (source: string) => !/node_modules|vendor/.test(path.relative(root, source));
    cpSync(path.join(root, file), path.join(content, file), { recursive: true, filter: isSource });
  }
  for (const page of pages) {
    await buildPage(root, page);
    cpSync(path.join(root, page, 'dist'), path.join(content, page, 'dist'), { recursive: true });
  }
  mkdirSync(path.join(content, 'library'));
  copyFileSync(library, path.join(content, 'library', path.basename(library)));
  copyFileSync(path.join(root, 'LICENSE'), path.join(content, 'LICENSE'));
  copyFileSync(path.join(import.meta.dirname, `${one.name}.md`), path.join(content, 'README.md'));
  const notices = thirdPartyNotices(bundle.modules, pages.length > 0 ? libraryFolders(root, pages) : []);
  writeFileSync(path.join(content, 'THIRD-PARTY.txt'), notices);
  // The program reads its version here.
  writeJson(path.join(content, workspace, 'package.json'), { version, private: true, type: 'module' });
  writeJson(path.join(content, 'package.json'), publishedManifest(root, one, version, bundle.packages));
}

/** Returns the `package.json` of a package. What its bundle leaves outside becomes dependencies, in the versions of this repository. */
function publishedManifest(root: string, one: PublishedPackage, version: string, packages: readonly string[]) {
  const { license, dependencies, repository } = readManifest(root, '.');
  const own = one.manifest(version, dependencies['node'] ?? '');
  const outside = packages.map((name) => [name, readManifest(root, `node_modules/${name}`).version]);
  return {
    name: one.name,
    version,
    description: one.description,
    keywords: ['berth', 'deploy', 'paas', 'agents', 'self-hosted'],
    license,
    homepage: 'https://berth.dev',
    ...(repository === undefined ? {} : { repository: { type: 'git', url: repository.url, directory: one.workspace } }),
    type: 'module',
    publishConfig: { access: 'public', provenance: true },
    ...own,
    ...(outside.length > 0 || 'dependencies' in own
      ? { dependencies: { ...Object.fromEntries(outside), ...(own['dependencies'] as object | undefined) } }
      : {}),
  };
}

function readManifest(root: string, folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
