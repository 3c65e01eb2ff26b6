import { fromSection } from './requirement.ts';

/** Section 13 of the agent's page: memory. */
export const AGENT_MEMORY = fromSection('agent-api §13', {
  'memory.prompt': 'What is remembered is in the system prompt of an agent with memory, in every chat.',
  'memory.person': 'Entries of the scope person are seen and changed by that person alone, in that workspace.',
  'memory.team': 'Entries of the scope team are read and changed by all members of the team.',
  'memory.tools': 'The model adds, replaces and deletes entries with save_memory and delete_memory.',
  'memory.entry': 'GET /memory lists the entries, the person’s first; POST, PUT and DELETE change one.',
  'memory.bounds': 'A scope has at most 50 entries (409), each one line of 1 to 500 characters (422).',
  'memory.unknown': 'An unknown id and somebody else’s are 404.',
  'memory.erase': 'DELETE /memory erases a scope; that of a team only for its owner and admins, else 403.',
  'memory.share': 'No share shows what is remembered.',
  'memory.off': 'The routes exist for every agent with auth, also without memory; /config says whether it is on.',
});
