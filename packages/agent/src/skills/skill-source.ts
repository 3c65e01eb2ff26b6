import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ToolFiles } from '@berth/agent-core';
import type { Skill } from '@berth/contract/agent';
import { MAX_SKILL_BYTES, type ParsedSkill, parseSkill } from './parse-skill.ts';

/** A skill, or the folder of one that can't be used. */
export type SkillEntry = Omit<Skill, 'source'>;

/** A folder of skills, one folder each. Names that a model asks for are looked up in what the folder has, never joined to a path. */
export interface SkillSource {
  /** Lists the skills by name; those with a `problem` can't be loaded. */
  list(): Promise<readonly SkillEntry[]>;
  /** Returns a skill; undefined when there is none of the name, or it can't be used. */
  find(name: string): Promise<ParsedSkill | undefined>;
  /** Lists the files of a skill besides `SKILL.md`, relative to its folder. */
  files(name: string): Promise<readonly string[]>;
  /** Returns a text of {@link files}; undefined when it isn't there, is no text, or is larger than 1 MB. */
  read(name: string, file: string): Promise<string | undefined>;
}

export const SKILL_FILE = 'SKILL.md';
const MAX_FILE_BYTES = 1_048_576;
/** Most skills of one source, and most files that are listed of one skill: names and descriptions are in every request to the model. */
const MAX_SKILLS = 100;
const MAX_FILES = 200;

/**
 * Returns the skills that an agent was shipped with. The folder is listed once, at the first call.
 * @throws RangeError when `folder` is no folder; `list` rejects with one that names a skill which can't be used.
 */
export function shippedSkills(folder: string): SkillSource {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new RangeError(`The skills folder ${folder} does not exist.`);
  }
  let listing: Promise<ReadonlyMap<string, ParsedSkill>> | undefined;
  const load = () => {
    listing ??= readShipped(folder);
    return listing;
  };
  const files = async (name: string) => {
    if (!(await load()).has(name)) return [];
    const root = path.join(folder, name);
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
      .filter((file) => file !== SKILL_FILE && !isHidden(file))
      .sort()
      .slice(0, MAX_FILES);
  };
  return {
    list: async () => [...(await load()).values()].map(({ name, description }) => ({ name, description })),
    find: async (name) => (await load()).get(name),
    files,
    async read(name, file) {
      if (!(await files(name)).includes(file)) return undefined;
      return textOf(await readFile(path.join(folder, name, file)));
    },
  };
}

async function readShipped(folder: string): Promise<ReadonlyMap<string, ParsedSkill>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && !isHidden(entry.name)).map(({ name }) => name);
  if (names.length > MAX_SKILLS) throw new RangeError(`${folder} has more than ${MAX_SKILLS} skills.`);
  const skills = new Map<string, ParsedSkill>();
  for (const name of names.sort()) {
    const file = path.join(folder, name, SKILL_FILE);
    const bytes = await readFile(file).catch((error: Error) => {
      throw new RangeError(`The skill ${file} can't be read: ${error.message}`);
    });
    const parsed = await parseBytes(bytes, bytes.length, name);
    if ('problem' in parsed) throw new RangeError(`The skill ${file} ${parsed.problem}.`);
    skills.set(name, parsed);
  }
  return skills;
}

/** The folder of a workspace in which people keep skills. */
export const WORKSPACE_SKILLS = 'skills';

/** Returns the skills that people keep in their workspace, in `skills/NAME`. */
export function workspaceSkills(workspace: ToolFiles): SkillSource {
  const folderOf = (name: string) => `${WORKSPACE_SKILLS}/${name}`;
  const names = async () => {
    const entries = await workspace.list(WORKSPACE_SKILLS, { recursive: false });
    const folders = entries.filter(({ type }) => type === 'directory').map((entry) => entry.path);
    return folders.map((folder) => folder.slice(WORKSPACE_SKILLS.length + 1)).sort();
  };
  const open = async (name: string) => {
    const file = await workspace.read(`${folderOf(name)}/${SKILL_FILE}`, MAX_SKILL_BYTES);
    if (!file) return { problem: `is missing: put it into ${folderOf(name)}` };
    return parseBytes(file.bytes, file.sizeBytes, name);
  };
  const files = async (name: string) => {
    if (!(await names()).includes(name)) return [];
    const entries = await workspace.list(folderOf(name), { recursive: true });
    return entries
      .filter(({ type }) => type === 'file')
      .map((entry) => entry.path.slice(folderOf(name).length + 1))
      .filter((file) => file !== SKILL_FILE)
      .sort()
      .slice(0, MAX_FILES);
  };
  return {
    async list() {
      const entries: SkillEntry[] = [];
      for (const name of (await names()).slice(0, MAX_SKILLS)) {
        const parsed = await open(name);
        const { description = '', problem } = { description: undefined, problem: undefined, ...parsed };
        entries.push({ name, description, ...(problem !== undefined && { problem: `${SKILL_FILE} ${problem}.` }) });
      }
      return entries;
    },
    async find(name) {
      if (!(await names()).includes(name)) return undefined;
      const parsed = await open(name);
      return 'problem' in parsed ? undefined : parsed;
    },
    files,
    async read(name, file) {
      if (!(await files(name)).includes(file)) return undefined;
      const found = await workspace.read(`${folderOf(name)}/${file}`, MAX_FILE_BYTES + 1);
      return found && textOf(found.bytes);
    },
  };
}

async function parseBytes(bytes: Buffer, sizeBytes: number, name: string) {
  if (sizeBytes > MAX_SKILL_BYTES) {
    return { problem: `has more than ${MAX_SKILL_BYTES} bytes: move parts of it into files beside it` };
  }
  const text = textOf(bytes);
  return text === undefined ? { problem: 'is not UTF-8 text' } : parseSkill(text, name);
}

function textOf(bytes: Buffer): string | undefined {
  const isText = bytes.length <= MAX_FILE_BYTES && isUtf8(bytes) && !bytes.includes(0);
  return isText ? bytes.toString('utf8') : undefined;
}

function isHidden(file: string): boolean {
  return file.split('/').some((part) => part.startsWith('.'));
}
