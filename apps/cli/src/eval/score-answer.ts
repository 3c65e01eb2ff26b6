import { compileSchema } from './compile-schema.ts';
import type { Grade } from './create-grader.ts';
import type { EvalCase } from './read-cases.ts';
import type { CaseAnswer } from './run-case.ts';

/** The judgment of one scorer. */
export interface Score {
  readonly scorer: keyof EvalCase['expect'];
  readonly passed: boolean;
  /** From 0 to 1. */
  readonly score: number;
  /** Why it did not pass, or what the grader said. */
  readonly reason?: string;
}

/** Judges an answer. A model is asked only when the other scorers passed, since it costs money. */
export async function scoreAnswer(
  { input, expect }: EvalCase,
  { text, tools }: Pick<CaseAnswer, 'text' | 'tools'>,
  grade: (criteria: string, asked: string, answer: string) => Promise<Grade>,
): Promise<readonly Score[]> {
  const scores: Score[] = [];
  const add = (scorer: Score['scorer'], problem: string | undefined) =>
    scores.push({
      scorer,
      passed: problem === undefined,
      score: problem === undefined ? 1 : 0,
      ...(problem !== undefined && { reason: problem }),
    });
  if (expect.exact !== undefined) {
    add('exact', text === expect.exact.trim() ? undefined : `said ${quote(text)}, not ${quote(expect.exact.trim())}`);
  }
  if (expect.contains !== undefined) {
    const missing = [expect.contains].flat().filter((one) => !text.toLowerCase().includes(one.toLowerCase()));
    add('contains', missing.length === 0 ? undefined : `${missing.map(quote).join(', ')} is not in ${quote(text)}`);
  }
  if (expect.schema !== undefined) add('schema', await schemaProblem(text, expect.schema));
  if (expect.tools !== undefined) {
    const missing = expect.tools.filter((name) => !tools.includes(name));
    add(
      'tools',
      missing.length === 0 ? undefined : `did not call ${missing.join(', ')}; called ${tools.join(', ') || 'none'}`,
    );
  }
  if (expect.graded !== undefined) {
    const { criteria, atLeast = PASSING } =
      typeof expect.graded === 'string' ? { criteria: expect.graded } : expect.graded;
    if (scores.some(({ passed }) => !passed)) {
      scores.push({ scorer: 'graded', passed: false, score: 0, reason: 'not graded, because another check failed' });
    } else {
      const { score, reason } = await grade(criteria, input.at(-1) ?? '', text);
      scores.push({ scorer: 'graded', passed: score >= atLeast, score, reason });
    }
  }
  return scores;
}

/** Score that a graded answer needs, unless its case says otherwise. */
const PASSING = 0.7;
const QUOTED = 120;

function quote(text: string): string {
  return JSON.stringify(text.length > QUOTED ? `${text.slice(0, QUOTED).toWellFormed()}…` : text);
}

async function schemaProblem(text: string, schema: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  // Models like to put JSON into a fence.
  const [, fenced] = /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(text) ?? [];
  let value: unknown;
  try {
    value = JSON.parse(fenced ?? text);
  } catch {
    return `is not JSON: ${quote(text)}`;
  }
  return (await compileSchema(schema))(value);
}
