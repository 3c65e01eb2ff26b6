import { defineTool, ToolError } from '@berth/agent-core';
import { z } from 'zod';
import { filesOf, readText } from './workspace-text.ts';

const MAX_LINES = 2_000;
const MAX_CHARACTERS = 30_000;

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads a text file of the workspace. Of a long one, the lines asked for; the answer says how many there are.',
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
