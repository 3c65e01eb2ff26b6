import { defineTool } from '@berth/agent-core';
import { z } from 'zod';
import { decodeText, filesOf } from './workspace-text.ts';

/** Larger files are skipped: they are data, not text that somebody wrote. */
const MAX_FILE_BYTES = 1_000_000;
const MAX_MATCHES = 100;
const MAX_LINE = 300;

export const searchFiles = defineTool({
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
