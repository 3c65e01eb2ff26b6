import type { UiFrame } from '@berth/contract/agent';

/** Lengths in characters, and counts. Source: docs/contract/agent-api.md §2, the table of `ui` actions. */
const MAX = { suggestion: 200, questions: 3, question: 400, header: 24, options: 4, label: 80, description: 160 };

/** Returns one frame for each suggestion of `frame`, which has a `text` or a list of `suggestions`. */
export function suggestFrames(frame: UiFrame): readonly UiFrame[] {
  const { text, suggestions, ...rest } = frame;
  const texts = [text, ...(Array.isArray(suggestions) ? suggestions : [])].filter((one) => typeof one === 'string');
  const said = texts.filter((one) => one.trim() !== '');
  return said.length === 0 ? [frame] : said.map((one) => ({ ...rest, text: cut(one, MAX.suggestion) }));
}

/**
 * Returns the `ask` frame in the contract's form: a list of `questions`, and the first of them again in the frame's own fields.
 * Accepts a single question, options that are strings, and `multiSelect`; cuts what is too long.
 */
export function askFrame(frame: UiFrame): UiFrame {
  const { questions, question, header, options, multi_select, multiSelect, ...rest } = frame;
  const given = Array.isArray(questions) && questions.length > 0 ? questions : [frame];
  const list = given.slice(0, MAX.questions).map(toQuestion);
  const [first] = list;
  return {
    ...rest,
    questions: list,
    question: first?.question,
    options: first?.options,
    multi_select: first?.multi_select,
  };
}

function toQuestion(given: unknown) {
  const { question, header, options, multi_select, multiSelect } = fieldsOf(given);
  return {
    question: cut(textOf(question), MAX.question),
    ...(textOf(header) !== '' && { header: cut(textOf(header), MAX.header) }),
    options: (Array.isArray(options) ? options : []).slice(0, MAX.options).map(toOption),
    multi_select: (multi_select ?? multiSelect) === true,
  };
}

function toOption(given: unknown) {
  const { label, description } = typeof given === 'string' ? { label: given, description: '' } : fieldsOf(given);
  return {
    label: cut(textOf(label), MAX.label),
    ...(textOf(description) !== '' && { description: cut(textOf(description), MAX.description) }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : { question: value };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Cuts between characters: a surrogate pair stays whole. */
function cut(text: string, max: number): string {
  return [...text].slice(0, max).join('');
}
