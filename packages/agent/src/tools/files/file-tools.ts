import { defineTool, type Tool, ToolError } from '@berth/agent-core';
import { z } from 'zod';
import { decodeText, filesOf, MAX_TEXT_BYTES, readText } from './workspace-text.ts';

/**
 * Tools over the person's workspace: `read_file`, `list_files`, `search_files` (read), `write_file`, `edit_file` (write),
 * `delete_file` (destructive; into the trash).
 */
export function fileTools(): readonly Tool[] {
  return [readFile, listFolder, searchFiles, writeFile, editFile, deleteFile];
}

const MAX_LINES = 2_000;
const MAX_CHARACTERS = 30_000;

const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a text file of the workspace. Returns a range of lines of a long file, and the number of lines.',
  risk: 'read',
  input: z.object({
    path: z.string().describe('From the workspace on, e.g. notes/today.md'),
    first_line: z.int().min(1).default(1),
    lines: z.int().min(1).max(MAX_LINES).default(MAX_LINES),
  }),
  label: ({ path }) => `Read ${path}`,
  async run({ path, first_line, lines }, context) {
    const all = (await readText(filesOf(context), path)).split('\n');
    if (first_line > all.length) throw new ToolError(`${path} has ${all.length} lines.`);
    const wanted = all.slice(first_line - 1, first_line - 1 + lines).join('\n');
    const text = wanted.slice(0, MAX_CHARACTERS).toWellFormed();
    const last = first_line - 1 + text.split('\n').length;
    const isWhole = first_line === 1 && last === all.length && text.length === wanted.length;
    return isWhole ? text : `${text}\n[lines ${first_line} to ${last} of ${all.length}]`;
  },
});

const MAX_ENTRIES = 500;

const listFolder = defineTool({
  name: 'list_files',
  description: 'Lists a folder of the workspace: folders end in a slash, files have their size in bytes.',
  risk: 'read',
  input: z.object({
    path: z.string().default('').describe('Empty for the whole workspace'),
    recursive: z.boolean().default(false),
  }),
  label: ({ path }) => `List ${path === '' ? 'the workspace' : path}`,
  async run({ path, recursive }, context) {
    const entries = await filesOf(context).list(path, { recursive });
    if (entries.length === 0) return '(empty, or not there)';
    const lines = entries
      .slice(0, MAX_ENTRIES)
      .map((entry) => (entry.type === 'directory' ? `${entry.path}/` : `${entry.path}  ${entry.size}`));
    if (entries.length > MAX_ENTRIES) lines.push(`[… and ${entries.length - MAX_ENTRIES} more]`);
    return lines.join('\n');
  },
});

/** Larger files are skipped: they are data, not text that a person wrote. */
const MAX_FILE_BYTES = 1_000_000;
const MAX_MATCHES = 100;
const MAX_LINE = 300;

const searchFiles = defineTool({
  name: 'search_files',
  description:
    'Finds a text in the text files of the workspace, line by line, whatever its case. Answers path:line: text. No patterns: the text as it stands.',
  risk: 'read',
  input: z.object({
    text: z.string().min(1).max(200),
    path: z.string().default('').describe('The folder to search; empty for the whole workspace'),
  }),
  label: ({ text, path }) => `Search ${path === '' ? 'the workspace' : path} for "${text}"`,
  async run({ text, path }, context) {
    const files = filesOf(context);
    const wanted = text.toLowerCase();
    const found: string[] = [];
    let passedOver = 0;
    for (const entry of await files.list(path, { recursive: true })) {
      context.signal.throwIfAborted();
      if (entry.type !== 'file') continue;
      if (entry.size > MAX_FILE_BYTES) {
        passedOver++;
        continue;
      }
      const file = await files.read(entry.path, MAX_FILE_BYTES);
      const content = file && decodeText(file.bytes);
      if (content === undefined) continue;
      for (const [index, line] of content.split('\n').entries()) {
        if (!line.toLowerCase().includes(wanted)) continue;
        found.push(`${entry.path}:${index + 1}: ${line.trim().slice(0, MAX_LINE).toWellFormed()}`);
        if (found.length === MAX_MATCHES) return [...found, `[only the first ${MAX_MATCHES}]`].join('\n');
      }
    }
    if (passedOver > 0) found.push(`[${passedOver} files of more than ${MAX_FILE_BYTES} bytes were not searched]`);
    return found.length === 0 ? 'Nothing was found.' : found.join('\n');
  },
});

const writeFile = defineTool({
  name: 'write_file',
  description: 'Writes a text file of the workspace, a new one or over an old one. Folders are made as needed.',
  risk: 'write',
  input: z.object({
    path: z.string().describe('From the workspace on, e.g. notes/today.md'),
    content: z.string().max(MAX_TEXT_BYTES),
  }),
  label: ({ path }) => `Write ${path}`,
  async run({ path, content }, context) {
    const bytes = Buffer.from(content);
    await filesOf(context).write(path, bytes);
    return `Wrote ${bytes.length} bytes to ${path}.`;
  },
});

const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replaces a text in a file of the workspace by another. The old text must be there exactly once, as it stands, unless all is true.',
  risk: 'write',
  input: z.object({
    path: z.string(),
    old_text: z.string().min(1),
    new_text: z.string(),
    all: z.boolean().default(false),
  }),
  label: ({ path }) => `Edit ${path}`,
  async run({ path, old_text, new_text, all }, context) {
    const files = filesOf(context);
    const pieces = (await readText(files, path)).split(old_text);
    const count = pieces.length - 1;
    if (count === 0) throw new ToolError(`The old text is not in ${path}.`);
    if (count > 1 && !all)
      throw new ToolError(`The old text occurs ${count} times in ${path}. Give more context, or set all: true.`);
    await files.write(path, Buffer.from(pieces.join(new_text)));
    return `Replaced ${count} ${count === 1 ? 'place' : 'places'} in ${path}.`;
  },
});

const deleteFile = defineTool({
  name: 'delete_file',
  description: 'Moves a file or folder of the workspace into the trash, from where the person can restore it.',
  risk: 'destructive',
  input: z.object({ path: z.string() }),
  label: ({ path }) => `Delete ${path}`,
  async run({ path }, context) {
    await filesOf(context).remove(path);
    return `${path} is in the trash.`;
  },
});
