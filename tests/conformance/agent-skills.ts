import { fromSection } from './requirement.ts';

/** Section 12 of the agent's page: skills. */
export const AGENT_SKILLS = fromSection('agent-api §12', {
  'skill.list': 'GET /skills lists the agent’s skills, then those of the workspace; without skills the list is empty.',
  'skill.workspace': 'Skills of a workspace are its own, and are read only when the agent allows it.',
  'skill.problem': 'A skill with a problem is listed with it, and is not used.',
  'skill.format': 'A skill is a folder with a SKILL.md as agentskills.io specifies it, of at most 32,768 bytes.',
  'skill.load': 'The system prompt has names and descriptions; load_skill reads the text and the files, in pages.',
});
