import { createError } from '@berth/contract';
import { type Command, createCommand, type Refusal } from '../plan/command.ts';
import { createDraft, type PlanDraft } from '../plan/plan.ts';
import type { Programs } from '../plan/programs.ts';
import type { ProjectFiles } from '../plan/project-files.ts';

/** Path of the built program. `.berth` is Berth's own folder in every artifact. */
const PROGRAM = '.berth/app';
/** Folder of the programs of a module that a Procfile starts, as in Heroku's buildpack; on PATH. */
const PROGRAMS_FOLDER = 'bin';

/**
 * Maximum number of files read per folder. Further and larger files are generated, and other files show their package
 * too.
 */
const MAX_SOURCES = 200;
const SOURCE_BYTES = 262_144;
/** The first Go version that downloads other versions. Source: https://go.dev/doc/toolchain. */
const FETCHING_GO = [1, 21] as const;

/**
 * Detects a Go module or a workspace of modules: `package main` in the root of a module, or in the only folder of
 * `cmd/` that has one. If the project defines its own start command, all of its programs are built.
 * @throws BerthError `build_failed` that names the folders if there are several programs, or if the installed Go is too
 * old.
 */
export async function detectGo(
  files: ProjectFiles,
  programs: Programs,
  hasOwnStart: boolean,
): Promise<PlanDraft | undefined> {
  const work = await files.readText('go.work');
  const module = await files.readText('go.mod');
  if (work === undefined && module === undefined) return undefined;
  const folders = work === undefined ? ['.'] : readUses(work);
  const refusal = await checkGo(programs, work === undefined ? ['go.mod', module ?? ''] : ['go.work', work]);
  const mains = (await Promise.all(folders.map((folder) => findMains(files, folder, hasOwnStart)))).flat();
  const main = hasOwnStart ? undefined : chooseMain(mains);
  const build = (target: string, ...packages: readonly string[]): Command[] =>
    packages.length === 0
      ? []
      : [{ ...createCommand('go', 'build', '-trimpath', '-o', target, ...packages), ...(refusal && { refusal }) }];
  return createDraft('go', 'Go', {
    programs: ['go'],
    build: hasOwnStart ? build(`${PROGRAMS_FOLDER}/`, ...mains) : build(PROGRAM, ...(main === undefined ? [] : [main])),
    start: main === undefined ? null : createCommand(`./${PROGRAM}`),
    // Without cgo, the program needs no C compiler here and no C library at run time. Debian's Go downloads other
    // versions only with GOTOOLCHAIN=auto.
    buildEnv: { CGO_ENABLED: '0', GOTOOLCHAIN: 'auto' },
    sharedFolders: hasOwnStart ? [PROGRAMS_FOLDER] : ['.berth'],
    binFolders: hasOwnStart ? [PROGRAMS_FOLDER] : [],
    whyNoStart: 'The Go module has no "package main" in its root or in a folder of cmd/.',
  });
}

/** Returns the folders inside the project that a go.work uses. Source: https://go.dev/ref/mod#go-work-file-use. */
function readUses(work: string): string[] {
  const text = work.replaceAll(/\/\/.*$/gm, '');
  const blocks = [...text.matchAll(/^\s*use\s*\(([^)]*)\)/gm)].flatMap(([, block = '']) => block.split('\n'));
  const lines = [...text.matchAll(/^\s*use\s+([^\s(].*)$/gm)].map(([, line = '']) => line);
  const paths = [...blocks, ...lines]
    .map((path) => path.trim().replace(/^["`]|["`]$/g, ''))
    .filter((path) => path !== '');
  const inside = paths.map((path) => path.replace(/^(\.\/)+/, '').replace(/\/+$/, '') || '.');
  return inside.filter((path) => !path.startsWith('/') && !path.split('/').includes('..'));
}

/** Returns the error to show if Go can't download the requested version; undefined if that version is installed. */
async function checkGo(programs: Programs, [name, text]: readonly [string, string]): Promise<Refusal | undefined> {
  const wanted = /^toolchain\s+go(\d+\.\d+\S*)/m.exec(text)?.[1] ?? /^go\s+(\d+\.\d+\S*)/m.exec(text)?.[1];
  const installed = await programs.versionOf('go');
  if (wanted === undefined || installed === undefined) return undefined;
  const asked = `${name} asks for Go ${wanted}; this server has Go ${installed}`;
  if (isAtLeast(installed, FETCHING_GO)) {
    const message = `${asked}, and that version could not be downloaded. Use Go ${installed} or one of https://go.dev/dl/.`;
    // Source: the output of cmd/go for a toolchain that it can't download.
    return { afterOutput: ['go: download go', 'toolchain not available'], message };
  }
  if (
    isAtLeast(
      installed,
      wanted.split('.').map((part) => Number.parseInt(part, 10)),
    )
  )
    return undefined;
  throw createError(
    'build_failed',
    `${asked}, which is too old to download it. The operator can install Go ${FETCHING_GO.join('.')} or newer from https://go.dev/dl/, which downloads the required versions.`,
  );
}

function isAtLeast(version: string, wanted: readonly number[]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted;
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

function chooseMain(mains: readonly string[]): string | undefined {
  const [first] = mains;
  if (mains.length <= 1) return first;
  throw createError(
    'build_failed',
    `The Go project has several programs (${mains.join(', ')}). Choose one in berth.json: {"build": "go build -o .berth/app ${first}", "start": "./.berth/app"}, or in a Procfile with a web line.`,
  );
}

/**
 * Returns the programs of a module as packages: the root if it is a program and not `all` are wanted, otherwise the
 * folders of `cmd/`.
 */
async function findMains(files: ProjectFiles, module: string, all: boolean): Promise<string[]> {
  const prefix = module === '.' ? '' : `${module}/`;
  const found = (await isMain(files, module)) ? [module === '.' ? '.' : `./${module}`] : [];
  if (found.length > 0 && !all) return found;
  for (const name of await files.list(`${prefix}cmd`)) {
    const folder = `${prefix}cmd/${name.slice(0, -1)}`;
    if (name.endsWith('/') && (await isMain(files, folder))) found.push(`./${folder}`);
  }
  return found;
}

async function isMain(files: ProjectFiles, folder: string): Promise<boolean> {
  const sources = (await files.list(folder)).filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'));
  for (const name of sources.slice(0, MAX_SOURCES)) {
    const text = await files.readText(folder === '.' ? name : `${folder}/${name}`, { skipOverBytes: SOURCE_BYTES });
    // Files that are only run manually ("go run gen.go") have this build constraint.
    if (text !== undefined && /^package main\b/m.test(text) && !/^\/\/go:build ignore\b/m.test(text)) return true;
  }
  return false;
}
