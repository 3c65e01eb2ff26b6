import { type Instruction, readInstructions } from './read-instructions.ts';

/**
 * Arguments that engines keep out of an image's history. Source: docs.docker.com/reference/dockerfile, predefined ARGs.
 */
const PREDEFINED = /^(http|https|ftp|no)_proxy$/i;

/** The operator's build arguments, sorted by whether a Dockerfile gets them. */
export interface OperatorArguments {
  readonly given: Readonly<Record<string, string>>;
  /** Arguments that would become part of the image and are therefore not passed. */
  readonly withheld: readonly string[];
}

/**
 * Selects the operator's arguments for a Dockerfile. Engines record every argument that a stage declares in that
 * stage's history, so arguments declared in the last stage or its base stages are withheld.
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

/** Returns the arguments declared in the last stage or in its base stages. */
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

/** Returns the names that an ARG may declare. Words of values with spaces count too; that only withholds more. */
function declaredNames({ keyword, rest }: Instruction): string[] {
  return keyword === 'ARG' ? [...rest.matchAll(/(?:^|\s)["']?([A-Za-z_]\w*)/g)].map(([, name = '']) => name) : [];
}

/**
 * Returns the stage that `stage` is based on, always an earlier one. A base with a variable could be any stage, so the
 * previous one is assumed.
 */
function parentOf(stage: Stage, stages: readonly Stage[]): Stage | undefined {
  const earlier = stages.slice(0, stages.indexOf(stage));
  return stage.base.includes('$') ? earlier.at(-1) : earlier.findLast(({ name }) => name === stage.base);
}
