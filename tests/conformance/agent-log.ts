import { fromSection } from './requirement.ts';

/** Section 10 of the agent's page: log lines. */
export const AGENT_LOG = fromSection('agent-api §10', {
  'log.usage':
    'A turn logs one usage entry with level, user_id, chat_id, model, input, output and cost, without a message.',
  'log.cost': 'berth cost counts entries whose event or level is usage.',
});
