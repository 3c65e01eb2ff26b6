import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BerthJsonFile, berthJsonJsonSchema } from '@berth/contract';
import { UsageError } from '../errors/usage-error.ts';
import type { Template } from './templates.ts';

/** Options of {@link createProject}. */
export interface CreateProjectOptions {
  readonly template: Template;
  /** Absolute; made when it is missing. */
  readonly folder: string;
  /** Name of the project and of its deployment. */
  readonly name: string;
  /** Where an agent gets its library: from a platform's npm registry, or from a tarball in the project. */
  readonly library: { readonly registryUrl: string } | { packAgent(folder: string): Promise<string> };
}

/** The agent library of this repo. */
const LIBRARY_MANIFEST = fileURLToPath(new URL('../../../../packages/agent/package.json', import.meta.url));
const NPMRC = '.npmrc';

/** Where a project keeps its copy of the library. */
const VENDOR = 'vendor';
const SETTINGS_FILE = 'berth.json';
/** Where a project keeps the JSON Schema of its `berth.json`; nothing in `.berth` is deployed. */
const SCHEMA_FILE = '.berth/berth.schema.json';
const TEMPLATES_FOLDER = fileURLToPath(new URL('../../templates', import.meta.url));

/**
 * Writes a project's files and returns their paths in the folder. The folder may contain other files; none is overwritten.
 * @throws UsageError naming every file that already exists
 */
export async function createProject(options: CreateProjectOptions): Promise<string[]> {
  const { template, folder, name, library } = options;
  const source = path.join(TEMPLATES_FOLDER, template.name);
  const entries = await readdir(source, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    // Git keeps no empty folders: a template without files of its own has none.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(source, path.join(entry.parentPath, entry.name)))
    .sort();
  if (
    await lstat(folder).then(
      (found) => !found.isDirectory(),
      () => false,
    )
  ) {
    throw new UsageError(`${folder} is not a folder.`);
  }
  const taken: string[] = [];
  for (const file of [
    ...files,
    SETTINGS_FILE,
    ...(template.isAgent ? ['packAgent' in library ? VENDOR : NPMRC] : []),
  ]) {
    if (await exists(path.join(folder, file))) taken.push(file);
  }
  if (taken.length > 0) {
    const them = taken.length === 1 ? 'it' : 'them';
    throw new UsageError(`${folder} has ${taken.join(', ')} already. Move ${them} away, or choose another folder.`);
  }
  // First, because it is what may fail.
  const { spec, file } = template.isAgent ? await placeLibrary(folder, library) : { spec: '', file: undefined };
  for (const file of files) {
    const text = await readFile(path.join(source, file), 'utf8');
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    const content = text.replaceAll('{{name}}', name).replaceAll('{{library}}', spec);
    await writeFile(path.join(folder, file), content, { flag: 'wx' });
  }
  // The schema is generated: one of an earlier version is replaced.
  await mkdir(path.join(folder, path.dirname(SCHEMA_FILE)), { recursive: true });
  await writeFile(path.join(folder, SCHEMA_FILE), toJson(berthJsonJsonSchema()));
  await writeFile(path.join(folder, SETTINGS_FILE), toJson(settingsFile(template, name)), { flag: 'wx' });
  const written = [...files, SETTINGS_FILE, SCHEMA_FILE];
  return file === undefined ? written : [...written, file];
}

/** Returns how `package.json` names the library, and the file that was written for it. */
async function placeLibrary(folder: string, library: CreateProjectOptions['library']) {
  if ('packAgent' in library) {
    const file = `${VENDOR}/${path.basename(await library.packAgent(path.join(folder, VENDOR)))}`;
    return { spec: `file:${file}`, file };
  }
  const { version } = JSON.parse(await readFile(LIBRARY_MANIFEST, 'utf8')) as { readonly version: string };
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, NPMRC), `@berth:registry=${library.registryUrl}\n`, { flag: 'wx' });
  return { spec: `^${version}`, file: NPMRC };
}

/** The `berth.json` of a new project. An agent gets a volume, because it keeps chats and files. */
function settingsFile({ isAgent }: Template, name: string): BerthJsonFile {
  return { $schema: `./${SCHEMA_FILE}`, name, ...(isAgent ? { volumes: { '/data': name } } : {}) };
}

function toJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function exists(file: string): Promise<boolean> {
  return lstat(file)
    .then(() => true)
    .catch(() => false);
}
