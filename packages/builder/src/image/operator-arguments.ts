import { type Instruction, readInstructions } from './read-instructions.ts';

/** These an engine keeps out of an image's history by itself. Source: docs.docker.com/reference/dockerfile, predefined ARGs. */
const PREDEFINED = /^(http|https|ftp|no)_proxy$/i;

/** The operator's build arguments, sorted by what a Dockerfile may be given of them. */
export interface OperatorArguments {
  readonly given: Readonly<Record<string, string>>;
  /** Declared where they would end in the image: not given. */
  readonly withheld: readonly string[];
}

/**
 * Chooses the operator's arguments for a Dockerfile: an engine writes every argument that a stage declares into that stage's
 * history, so one that the last stage, or one it is made from, declares is withheld.
 */
export function chooseArguments(text: string, values: Readonly<Record<string, string>>): OperatorArguments {
  const readings = readInstructions(text);
  const declared = new Set(readings.flat().flatMap(declaredNames));
  const staying = new Set(readings.flatMap((instructions) => stayingNames(readStages(instructions))));
  const given: Record<string, string> = {};
  const withheld: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (PREDEFINED.test(name)) given[name] = value;
    else if (staying.has(name)) withheld.push(name);
    else if (declared.has(name)) given[name] = value;
  }
  return { given, withheld };
}

/** What is declared in the last stage, or in one it is made from. */
function stayingNames(stages: readonly Stage[]): string[] {
  const names: string[] = [];
  for (let stage = stages.at(-1); stage !== undefined; stage = parentOf(stage, stages)) names.push(...stage.names);
  return names;
}

interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly names: Set<string>;
}

function readStages(instructions: readonly Instruction[]): Stage[] {
  const stages: Stage[] = [];
  for (const { keyword, rest } of instructions) {
    if (keyword === 'FROM') {
      const [base = '', , name] = rest.split(/\s+/).filter((word) => !word.startsWith('--'));
      stages.push({ base: base.toLowerCase(), name: name?.toLowerCase(), names: new Set() });
    }
    for (const name of declaredNames({ keyword, rest })) stages.at(-1)?.names.add(name);
  }
  return stages;
}

/** Every word of an ARG could be one: values with spaces only make it withhold more. */
function declaredNames({ keyword, rest }: Instruction): string[] {
  return keyword === 'ARG' ? [...rest.matchAll(/(?:^|\s)["']?([A-Za-z_]\w*)/g)].map(([, name = '']) => name) : [];
}

/** The stage that a stage is made from; only an earlier one can be. A base with a variable could be any: the one before. */
function parentOf(stage: Stage, stages: readonly Stage[]): Stage | undefined {
  const earlier = stages.slice(0, stages.indexOf(stage));
  return stage.base.includes('$') ? earlier.at(-1) : earlier.findLast(({ name }) => name === stage.base);
}
