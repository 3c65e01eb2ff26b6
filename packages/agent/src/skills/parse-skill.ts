import { z } from 'zod';

/** The front matter of a `SKILL.md`. Source: agentskills.io/specification, "Frontmatter". */
const frontMatterSchema = z.object({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, separated by single dashes'),
  description: z.string().trim().min(1).max(1_024),
  license: z.string().optional(),
  compatibility: z.string().min(1).max(500).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

/** The front matter of a valid skill, and the instructions below it. */
export interface ParsedSkill {
  readonly name: string;
  /** One line; at most 1,024 characters. */
  readonly description: string;
  readonly body: string;
}

/** Largest `SKILL.md`, in bytes, so that a model gets its instructions whole. Longer texts belong into files beside it. */
export const MAX_SKILL_BYTES = 32_768;

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;

/**
 * Parses a `SKILL.md`: YAML front matter with `name` and `description`, then Markdown. Unknown fields are ignored.
 * @param folderName the name of the skill's folder, which its `name` must repeat.
 * @returns the skill, or what is wrong with it, as the end of a sentence about the file.
 */
export async function parseSkill(
  text: string,
  folderName: string,
): Promise<ParsedSkill | { readonly problem: string }> {
  const match = FRONT_MATTER.exec(text);
  if (match?.index !== 0) return { problem: 'has no front matter: start the file with --- name: … description: … ---' };
  const { parse } = await import('yaml');
  let fields: unknown;
  try {
    // Aliases could multiply a small text into a large value.
    fields = parse(match[1] ?? '', { maxAliasCount: 0, logLevel: 'error' });
  } catch (error) {
    return { problem: `has front matter that is not valid YAML: ${(error as Error).message.split('\n')[0]}` };
  }
  const parsed = frontMatterSchema.safeParse(fields);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: `has a wrong front matter: ${issue?.path.join('.') || 'it'}: ${issue?.message}` };
  }
  const { name, description } = parsed.data;
  if (name !== folderName) return { problem: `has the name "${name}", which must match its folder "${folderName}"` };
  return { name, description: description.replace(/\s+/g, ' '), body: text.slice(match[0].length).trim() };
}
