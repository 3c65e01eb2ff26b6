import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { UsageError } from '../errors/usage-error.ts';
import { compileSchema } from './compile-schema.ts';

const sentence = z.string().min(1);

/** Criteria of an answer; all of them must pass. */
const expectSchema = z
  .strictObject({
    /** The answer's text, without white space around it. */
    exact: z.string().optional(),
    /** Texts that the answer contains, in any case. */
    contains: z.union([sentence, z.array(sentence).min(1)]).optional(),
    /** A JSON Schema of the answer, which is JSON. */
    schema: z.record(z.string(), z.unknown()).optional(),
    /** Tools that were called, in any order. */
    tools: z.array(sentence).min(1).optional(),
    /** Criteria for a grading model; the answer passes with a score of at least `atLeast`, 0.7 by default. */
    graded: z
      .union([sentence, z.strictObject({ criteria: sentence, atLeast: z.number().min(0).max(1).optional() })])
      .optional(),
  })
  .refine(
    (expect) => Object.keys(expect).length > 0,
    'has no expectation: add exact, contains, schema, tools or graded',
  );

const caseSchema = z.strictObject({
  /** Unique in the folder; the file's name by default. */
  name: sentence.max(200).optional(),
  /** The person's messages: one, or several, each sent after the answer to the previous one. */
  input: z.union([sentence, z.array(sentence).min(1).max(50)]),
  expect: expectSchema,
});

/** Messages to an agent, and the expectation for the last answer. */
export interface EvalCase {
  readonly name: string;
  readonly input: readonly string[];
  readonly expect: z.output<typeof expectSchema>;
}

/** Cases of a folder that begin with a dot are results of runs. */
const CASE_FILE = /^[^.].*\.jsonl?$/;

/**
 * Reads the cases of a folder: `*.json` with one case or a list, `*.jsonl` with one case a line.
 * @throws UsageError naming the file, and the line or the place, of what can't be read.
 */
export async function readCases(folder: string): Promise<readonly EvalCase[]> {
  const names = await readdir(folder).catch(() => undefined);
  if (!names) throw new UsageError(`${folder} is not a folder. Create it, with a case in a file such as greeting.json`);
  const cases: EvalCase[] = [];
  for (const file of names.filter((name) => CASE_FILE.test(name)).sort()) {
    const text = await readFile(path.join(folder, file), 'utf8');
    const base = path.parse(file).name;
    if (file.endsWith('.jsonl')) {
      for (const [index, line] of text.split('\n').entries()) {
        if (line.trim() !== '') cases.push(await toCase(line, `${file}:${index + 1}`, `${base} ${index + 1}`));
      }
      continue;
    }
    const value = parseJson(text, file);
    if (!Array.isArray(value)) cases.push(await check(value, file, base));
    else
      for (const [index, one] of value.entries())
        cases.push(await check(one, `${file}: case ${index + 1}`, `${base} ${index + 1}`));
  }
  if (cases.length === 0) throw new UsageError(`${folder} has no cases: *.json or *.jsonl`);
  const twice = cases.find(({ name }, index) => cases.findIndex((one) => one.name === name) !== index);
  if (twice) throw new UsageError(`Two cases are named "${twice.name}". Give each a unique name.`);
  return cases;
}

function toCase(text: string, where: string, name: string): Promise<EvalCase> {
  return check(parseJson(text, where), where, name);
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${where} is not JSON: ${(error as Error).message}`);
  }
}

async function check(value: unknown, where: string, defaultName: string): Promise<EvalCase> {
  const result = caseSchema.safeParse(value);
  if (!result.success) throw new UsageError(`${where}: ${z.prettifyError(result.error)}`);
  const { name = defaultName, input, expect } = result.data;
  if (expect.schema) await checkSchema(expect.schema, where);
  return { name, input: typeof input === 'string' ? [input] : input, expect };
}

async function checkSchema(schema: Readonly<Record<string, unknown>>, where: string): Promise<void> {
  try {
    await compileSchema(schema);
  } catch (error) {
    throw new UsageError(`${where}: expect.schema is not a supported JSON Schema: ${(error as Error).message}`);
  }
}
