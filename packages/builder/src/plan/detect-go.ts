import { createError } from '@berth/contract';
import { createCommand } from './command.ts';
import { createDraft, type PlanDraft } from './plan.ts';
import type { ProjectFiles } from './project-files.ts';

/** Where the program goes; `.berth` is Berth's own folder in every artifact. */
const PROGRAM = '.berth/app';

/** More and larger files than these are generated, and their package is told by others. */
const MAX_SOURCES = 200;
const SOURCE_BYTES = 262_144;

/**
 * A Go module: `package main` in its root, or in the only folder of `cmd/` that has one.
 * @throws BerthError `build_failed` when several folders of `cmd/` are programs, naming them.
 */
export async function detectGo(files: ProjectFiles): Promise<PlanDraft | undefined> {
  if ((await files.kindOf('go.mod')) !== 'file') return undefined;
  const folder = await findMain(files);
  return createDraft('go', 'Go', {
    programs: ['go'],
    build: folder === undefined ? [] : [createCommand('go', 'build', '-trimpath', '-o', PROGRAM, folder)],
    start: folder === undefined ? null : createCommand(`./${PROGRAM}`),
    // Without cgo the program needs no compiler here and no C library where it runs.
    buildEnv: { CGO_ENABLED: '0' },
    sharedFolders: ['.berth'],
    whyNoStart: 'The Go module has no "package main" in its root or in a folder of cmd/.',
  });
}

async function findMain(files: ProjectFiles): Promise<string | undefined> {
  if (await isMain(files, '.')) return '.';
  const found: string[] = [];
  for (const name of await files.list('cmd')) {
    if (name.endsWith('/') && (await isMain(files, `cmd/${name.slice(0, -1)}`)))
      found.push(`./cmd/${name.slice(0, -1)}`);
  }
  if (found.length > 1) {
    throw createError(
      'build_failed',
      `The Go module has several programs (${found.join(', ')}); say in berth.json which one: {"build": "go build -o .berth/app ${found[0]}", "start": "./.berth/app"}.`,
    );
  }
  return found[0];
}

async function isMain(files: ProjectFiles, folder: string): Promise<boolean> {
  const sources = (await files.list(folder)).filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'));
  for (const name of sources.slice(0, MAX_SOURCES)) {
    const text = await files.readText(folder === '.' ? name : `${folder}/${name}`, { skipOverBytes: SOURCE_BYTES });
    // A file that is only run by hand ("go run gen.go") is marked so.
    if (text !== undefined && /^package main\b/m.test(text) && !/^\/\/go:build ignore\b/m.test(text)) return true;
  }
  return false;
}
