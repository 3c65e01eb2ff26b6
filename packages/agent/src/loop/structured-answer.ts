import type { OutputFormat } from '@berth/agent-core';
import type { Model, ModelMessage, ModelRequest, ToolMessage } from '../models/model.ts';
import { ModelError } from '../models/model-error.ts';
import type { ModelAnswer } from './ask-model.ts';
import { ANSWER_TOOL, unfence } from './output-format.ts';

/** Result of structured output: the value, or a correction for the model before it is asked again. */
type Outcome = { readonly value: unknown; readonly text: string } | { readonly messages: readonly ModelMessage[] };

const DESCRIPTION = 'Gives your final answer. Call it once, alone, when you have everything that the answer needs.';
const TOO_EARLY = `Not taken: call ${ANSWER_TOOL} alone, when you have read the results of the other calls.`;

/**
 * Creates the structured answer of a turn. A model with response formats writes JSON as its text; another one calls a tool that has
 * the schema as its input. An answer that does not match is repaired once.
 * @param isProgram true: a program is told that an answer is too long, and gets what there is of it.
 */
export function createStructuredAnswer(format: OutputFormat, isProgram: boolean) {
  const { name, schema, isStrict } = format;
  let isRepairing = false;

  return {
    /** Returns the request that asks for the answer in its form, besides the tools that the loop has. */
    request(plain: ModelRequest, model: Model): ModelRequest {
      if (model.hasResponseFormat) {
        const responseFormat = { name, ...(schema && { schema }), ...(isStrict && { isStrict }) };
        return { ...plain, responseFormat, ...(isRepairing && plain.tools.length > 0 && { toolChoice: 'none' }) };
      }
      const answer = { name: ANSWER_TOOL, description: DESCRIPTION, inputSchema: schema ?? { type: 'object' } };
      const mustAnswer = isRepairing || plain.tools.length === 0 || plain.toolChoice === 'none';
      const tools = [...plain.tools, answer];
      return { ...plain, tools, ...(mustAnswer && { toolChoice: { tool: ANSWER_TOOL } }) };
    },

    /**
     * Reads an answer. Undefined for one that only calls other tools, or that the model declined to give.
     * @throws ModelError `malformed` when the repaired answer does not match either.
     */
    read({ calls, content, reason }: ModelAnswer, model: Model): Outcome | undefined {
      const given = calls.filter(({ tool }) => tool === ANSWER_TOOL);
      if (calls.length > given.length) {
        return given.length === 0 ? undefined : { messages: given.map(({ id }) => refuse(id, TOO_EARLY)) };
      }
      if (reason === 'refusal' || (reason === 'length' && isProgram)) return undefined;
      const said = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const text = unfence(given[0]?.args ?? said);
      const parsed = format.parse(text);
      if ('value' in parsed) return { value: parsed.value, text };
      const problem = `Your answer does not have the required form. ${parsed.problem}`;
      if (isRepairing)
        throw new ModelError(
          'malformed',
          `${model.name} returned an answer that doesn't match the schema, twice: ${parsed.problem}`,
        );
      isRepairing = true;
      if (given.length > 0) return { messages: given.map(({ id }) => refuse(id, problem)) };
      const ask = model.hasResponseFormat
        ? 'Answer again, with the JSON object alone.'
        : `Answer by calling ${ANSWER_TOOL}.`;
      return { messages: [{ role: 'user', content: [{ type: 'text', text: `${problem}\n${ask}` }] }] };
    },
  };
}

function refuse(callId: string, text: string): ToolMessage {
  return { role: 'tool', callId, tool: ANSWER_TOOL, text, isError: true };
}
