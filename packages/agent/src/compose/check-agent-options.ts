import { checkRenderOptions } from '@berth/agent-render';
import { createError } from '@berth/contract';
import { checkSpeechOptions } from '../speech/speech-options.ts';
import type { AgentOptions } from './agent-options.ts';

/** As in its address. Source: docs/contract/control-plane.md §2, names of deployments. */
const NAME = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Checks options at run time, for callers without a type checker. @throws `invalid` naming the option. */
export function checkAgentOptions(options: AgentOptions): void {
  const wrong = (what: string) => createError('invalid', `defineAgent: ${what}`);
  if (typeof options?.name !== 'string' || !NAME.test(options.name)) {
    throw wrong('name must be lower-case letters, digits and dashes, from a letter, at most 63: name: "my-agent"');
  }
  if (options.workspaces !== undefined) {
    if (!['member', 'admin'].includes(options.workspaces)) {
      throw wrong("workspaces says who may make teams: workspaces: 'member' or workspaces: 'admin'");
    }
    if (!options.auth) throw wrong('workspaces needs auth: nobody is a member of anything without signing in');
  }
  if (options.speech !== undefined) checkSpeechOptions(options.speech);
  if (options.model !== undefined && options.handler !== undefined) throw wrong('give a handler or a model, not both');
  if (options.model !== undefined) {
    if (typeof options.model.stream !== 'function') {
      throw wrong(
        'model must be one: model: chatCompletions({ model: "…" }), anthropic({ model: "…" }) or scripted("…")',
      );
    }
  } else if (typeof options.handler !== 'function') {
    throw wrong('handler must be a function: handler: async function* ({ messages }) { yield "Hello"; }');
  }
  checkConnectors(options.connectors, wrong);
  checkRenderOptions(options.render, wrong);
}

function checkConnectors(connectors: AgentOptions['connectors'], wrong: (what: string) => Error): void {
  if (connectors === undefined) return;
  if (!Array.isArray(connectors) || !connectors.every((one) => typeof one?.name === 'string' && one.auth)) {
    throw wrong('connectors must be a list of mcp({ … }), oauth({ … }) and key({ … })');
  }
  const names = connectors.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrong(`there are two connectors of the name "${twice}": give each one of its own`);
}
